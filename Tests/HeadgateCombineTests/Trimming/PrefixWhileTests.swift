import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class PrefixWhileTests: XCTestCase {
    func test_finishesAtTheFirstValueForWhichTheClosureAnswersFalse() {
        let subscriber = outcome(of: Values([1, 2, 5, 1]).prefix { $0 < 3 })
        XCTAssertEqual(
            subscriber.events,
            [
                .subscription("PrefixWhile"), .request(.max(1)), .value(1), .answer(.max(1)), .value(2),
                .answer(.max(1)), .completion(.finished),
            ])
        let trying = outcome(of: Values([1, 2, 5, 1]).tryPrefix { $0 < 3 })
        XCTAssertEqual(trying.values, [1, 2])
        XCTAssertTrue(trying.hasFinished)
    }

    func test_cancelsUpstreamThere() {
        let upstream = TestPublisher<Int, TestFailure>(keepsSubscribers: true)
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.prefix { $0 < 2 }.subscribe(subscriber)
        upstream.send(1)
        XCTAssertEqual(upstream.answer(to: 2), .none)
        upstream.force(1)
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.prefix { _ in true } }
        checkStep { $0.tryPrefix { _ in true } }
    }

    func test_failsWithWhatTheClosureThrows() {
        checkThrowing(name: "TryPrefixWhile") { upstream, closure in upstream.tryPrefix { try closure($0) > 0 } }
    }
}
