import Headgate
import TestSupport
import XCTest

final class CountTests: XCTestCase {
    func test_publishesTheNumberOfValues() {
        XCTAssertEqual(outcome(of: (1...3).publisher.count()).values, [3])
        XCTAssertEqual(outcome(of: [Int]().publisher.count()).values, [0])
    }

    func test_keepsTheRulesOfFolds() {
        checkFold(name: "Count") { $0.count() }
    }
}
