import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class DropTests: XCTestCase {
    func test_dropsTheFirstValues() {
        XCTAssertEqual(outcome(of: Values(1...4).dropFirst(2)).values, [3, 4])
        XCTAssertEqual(outcome(of: Values(1...4).dropFirst()).values, [2, 3, 4])
        XCTAssertEqual(outcome(of: Values(1...4).dropFirst(9)).values, [])
        XCTAssertTrue(outcome(of: Values(1...4).dropFirst(9)).hasFinished)
    }

    func test_requestsOneMoreForEachValueDropped() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        upstream.dropFirst(1).subscribe(subscriber)
        XCTAssertEqual(upstream.answer(to: 1), .max(1))
        XCTAssertEqual(upstream.answer(to: 2), .none)
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .answer(.max(1))])
    }

    func test_showsItsNameInALog() {
        XCTAssertEqual(shownName { $0.dropFirst() }, "Drop")
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.dropFirst(0) }
    }
}
