import Headgate
import TestSupport
import XCTest

final class ReduceTests: XCTestCase {
    func test_publishesWhatIsLeft() {
        XCTAssertEqual(outcome(of: (1...3).publisher.reduce(10, +)).values, [16])
        XCTAssertEqual(outcome(of: (1...3).publisher.tryReduce(10, +)).values, [16])
    }

    func test_publishesTheInitialResultOfNoValues() {
        XCTAssertEqual(outcome(of: [Int]().publisher.reduce(10, +)).values, [10])
        XCTAssertEqual(outcome(of: [Int]().publisher.tryReduce(10, +)).values, [10])
    }

    func test_keepsTheRulesOfFolds() {
        checkFold(name: "Reduce") { $0.reduce(0, +) }
        checkFold(name: "TryReduce") { $0.tryReduce(0, +) }
    }

    func test_failsWithWhatTheClosureThrows() {
        checkThrowing(name: "TryReduce") { upstream, closure in upstream.tryReduce(0) { $0 + (try closure($1)) } }
    }
}
