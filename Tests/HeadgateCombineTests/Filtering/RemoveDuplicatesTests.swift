import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class RemoveDuplicatesTests: XCTestCase {
    func test_dropsWhatIsTheSameAsTheOneBefore() {
        XCTAssertEqual(outcome(of: Values([1, 1, 2, 2, 1]).removeDuplicates()).values, [1, 2, 1])
        XCTAssertEqual(outcome(of: Values([1, 1, 2, 2, 1]).tryRemoveDuplicates(by: ==)).values, [1, 2, 1])
    }

    func test_comparesWithTheOneBeforeEvenIfThatWasDropped() {
        let rising = Values([1, 2, 3, 10]).removeDuplicates { abs($0 - $1) <= 1 }
        XCTAssertEqual(outcome(of: rising).values, [1, 10])
    }

    func test_requestsOneMoreForEachValueDropped() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        upstream.removeDuplicates().subscribe(subscriber)
        XCTAssertEqual(upstream.answer(to: 1), .none)
        XCTAssertEqual(upstream.answer(to: 1), .max(1))
        XCTAssertEqual(upstream.answer(to: 2), .none)
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .answer(.max(1))])
    }

    func test_remembersForEachSubscriberByItself() {
        let once = Values([1, 1]).removeDuplicates()
        XCTAssertEqual(outcome(of: once).values, [1])
        XCTAssertEqual(outcome(of: once).values, [1])
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.removeDuplicates() }
        checkStep { $0.tryRemoveDuplicates(by: ==) }
    }

    func test_showsItsNameInALog() {
        XCTAssertEqual(shownName { $0.removeDuplicates() }, "RemoveDuplicates")
    }

    func test_failsWithWhatTheClosureThrows() {
        checkThrowing(name: "TryRemoveDuplicates") { upstream, closure in
            upstream.tryRemoveDuplicates { try closure($0) == closure($1) }
        }
    }
}
