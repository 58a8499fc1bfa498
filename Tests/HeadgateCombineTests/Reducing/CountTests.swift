import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class CountTests: XCTestCase {
    func test_publishesTheNumberOfValues() {
        XCTAssertEqual(outcome(of: Values(1...3).count()).values, [3])
        XCTAssertEqual(outcome(of: Values([Int]()).count()).values, [0])
    }

    func test_keepsTheRulesOfFolds() {
        checkFold(name: "Count") { $0.count() }
    }
}
