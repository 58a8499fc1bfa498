import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class LastTests: XCTestCase {
    func test_publishesTheLastValue() {
        XCTAssertEqual(outcome(of: Values(1...3).last()).values, [3])
        XCTAssertEqual(outcome(of: Values(1...3).last { $0 < 3 }).values, [2])
        XCTAssertEqual(outcome(of: Values(1...3).tryLast { $0 < 3 }).values, [2])
    }

    func test_finishesWithoutAValueWhereThereIsNone() {
        XCTAssertEqual(outcome(of: Values([Int]()).last()).values, [])
        XCTAssertTrue(outcome(of: Values([Int]()).last()).hasFinished)
        XCTAssertTrue(outcome(of: Values(1...3).last { $0 > 3 }).hasFinished)
    }

    func test_keepsTheRulesOfFolds() {
        checkFold(name: "Last") { $0.last() }
        checkFold(name: "LastWhere") { $0.last { $0 == 2 } }
        checkFold(name: "TryLastWhere") { $0.tryLast { $0 == 2 } }
    }

    func test_failsWithWhatTheClosureThrows() {
        checkThrowing(name: "TryLastWhere") { upstream, closure in upstream.tryLast { try closure($0) > 5 } }
    }
}
