import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class ReduceTests: XCTestCase {
    func test_publishesWhatIsLeft() {
        XCTAssertEqual(outcome(of: Values(1...3).reduce(10, +)).values, [16])
        XCTAssertEqual(outcome(of: Values(1...3).tryReduce(10, +)).values, [16])
    }

    func test_publishesTheInitialResultOfNoValues() {
        XCTAssertEqual(outcome(of: Values([Int]()).reduce(10, +)).values, [10])
        XCTAssertEqual(outcome(of: Values([Int]()).tryReduce(10, +)).values, [10])
    }

    func test_keepsTheRulesOfFolds() {
        checkFold(name: "Reduce") { $0.reduce(0, +) }
        checkFold(name: "TryReduce") { $0.tryReduce(0, +) }
    }

    func test_failsWithWhatTheClosureThrows() {
        checkThrowing(name: "TryReduce") { upstream, closure in upstream.tryReduce(0) { $0 + (try closure($1)) } }
    }
}
