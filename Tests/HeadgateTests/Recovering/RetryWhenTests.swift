import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class RetryWhenTests: XCTestCase {
    private let upstream = TestPublisher<Int, TestFailure>()
    private let trigger = TestPublisher<Void, TestFailure>()
    private let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(5))

    func test_beginsAnewWhenTheTriggerSaysSo() {
        var reported: [TestFailure] = []
        upstream.retryWhen { failures in failures.map { reported.append($0) } }.subscribe(subscriber)
        upstream.send(1)
        upstream.fail(.first)
        upstream.send(2)
        upstream.fail(.second)
        upstream.send(3)
        upstream.finish()
        XCTAssertEqual(reported, [.first, .second])
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(
            upstream.calls.filter { $0 != .answer(.none) }, [.request(.max(5)), .request(.max(4)), .request(.max(3))])
    }

    func test_waitsForTheTrigger() {
        upstream.retryWhen { [trigger] _ in trigger }.subscribe(subscriber)
        trigger.send(())
        XCTAssertEqual(upstream.subscriptionCount, 1, "nothing has failed yet")
        upstream.fail(.first)
        XCTAssertEqual(upstream.subscriptionCount, 1)
        trigger.send(())
        XCTAssertEqual(upstream.subscriptionCount, 2)
    }

    func test_endsAsTheTriggerDoes() {
        for ending in [Subscribers.Completion<TestFailure>.finished, .failure(.second)] {
            for isEarly in [false, true] {
                let (upstream, trigger) = (TestPublisher<Int, TestFailure>(), TestPublisher<Void, TestFailure>())
                let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
                upstream.retryWhen { [trigger] _ in trigger }.subscribe(subscriber)
                if isEarly { trigger.send(completion: ending) }
                upstream.send(1)
                upstream.fail(.first)
                if !isEarly { trigger.send(completion: ending) }
                XCTAssertEqual(subscriber.values, [1])
                XCTAssertEqual(subscriber.completion, ending)
                XCTAssertEqual(upstream.subscriptionCount, 1)
            }
        }
    }

    func test_aTriggerThatFailsWithSomethingElseLeavesTheFailureOfTheAttempt() {
        struct Other: Error {}
        let trigger = TestPublisher<Void, Other>()
        upstream.retryWhen { [trigger] _ in trigger }.subscribe(subscriber)
        upstream.fail(.first)
        trigger.fail(Other())
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_cancelsBothAndReleasesThem() {
        upstream.retryWhen { [trigger] _ in trigger }.subscribe(subscriber)
        subscriber.cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(trigger.cancelCount, 1)
    }

    func test_cancelsTheTriggerAtTheEndAndInAPause() {
        upstream.retryWhen { [trigger] _ in trigger }.subscribe(subscriber)
        upstream.finish()
        XCTAssertEqual(trigger.cancelCount, 1)
        let second = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.retryWhen { [trigger] _ in trigger }.subscribe(second)
        upstream.fail(.first)
        second.cancel()
        XCTAssertEqual(trigger.cancelCount, 2)
        XCTAssertFalse(trigger.isConnected)
    }

    func test_manyAttemptsAreFlat() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        FailsAtOnce().retryWhen { $0.prefix(100_000) }.subscribe(subscriber)
        XCTAssertTrue(subscriber.hasFinished)
    }
}
