import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class DropWhileTests: XCTestCase {
    func test_dropsValuesUntilTheClosureAnswersFalse() {
        XCTAssertEqual(outcome(of: Values([1, 2, 5, 1]).drop { $0 < 3 }).values, [5, 1])
        XCTAssertEqual(outcome(of: Values([1, 2, 5, 1]).tryDrop { $0 < 3 }).values, [5, 1])
    }

    func test_doesNotCallTheClosureAgainOnceItHasAnsweredFalse() {
        var calls = 0
        let rest = Values([1, 2, 3]).drop { _ in
            calls += 1
            return false
        }
        XCTAssertEqual(outcome(of: rest).values, [1, 2, 3])
        XCTAssertEqual(calls, 1)
    }

    func test_requestsOneMoreForEachValueDropped() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        upstream.drop { $0 < 2 }.subscribe(subscriber)
        XCTAssertEqual(upstream.answer(to: 1), .max(1))
        XCTAssertEqual(upstream.answer(to: 2), .none)
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .answer(.max(1))])
    }

    func test_showsItsNameInALog() {
        XCTAssertEqual(shownName { $0.drop { _ in false } }, "DropWhile")
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.drop { _ in false } }
        checkStep { $0.tryDrop { _ in false } }
    }

    func test_failsWithWhatTheClosureThrows() {
        checkThrowing(name: "TryDropWhile") { upstream, closure in upstream.tryDrop { try closure($0) > 0 } }
    }
}
