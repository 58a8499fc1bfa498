import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class RetryTests: XCTestCase {
    func test_triesAsOftenAsAllowedAndThenFails() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.retry(2).subscribe(subscriber)
        XCTAssertEqual(subscriber.events.first, .subscription("Retry"))
        for value in 1...3 {
            upstream.send(value)
            upstream.send(completion: .failure(.first))
        }
        XCTAssertEqual(upstream.subscriptionCount, 3)
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertEqual(subscriber.failure, .first)
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_requestsFromTheNextAttemptWhatTheLastHasNotServed() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(5))
        upstream.retry(1).subscribe(subscriber)
        upstream.send(1)
        upstream.send(2)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(upstream.calls, [.request(.max(5)), .request(.max(3))])
    }

    func test_aNewSubscriberHasAllAttempts() {
        let upstream = TestPublisher<Int, TestFailure>()
        let retried = upstream.retry(1)
        for _ in 0..<2 {
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            retried.subscribe(subscriber)
            upstream.send(completion: .failure(.first))
            XCTAssertNil(subscriber.completion)
            upstream.send(completion: .failure(.second))
            XCTAssertEqual(subscriber.failure, .second)
        }
        XCTAssertEqual(upstream.subscriptionCount, 4)
    }

    func test_manyAttemptsThatFailAtOnceAreFlat() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        FailsAtOnce().retry(100_000).subscribe(subscriber)
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_goesOnForEverWithoutALimitAndCanBeCancelled() {
        var attempts = 0
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let source = Attempts { () -> FailsAtOnce in
            attempts += 1
            if attempts == 1_000 { subscriber.cancel() }
            return FailsAtOnce()
        }
        Publishers.Retry(upstream: source, retries: nil).subscribe(subscriber)
        XCTAssertEqual(attempts, 1_000)
        XCTAssertNil(subscriber.completion)
    }

    func test_releasesEverythingAtTheEndAndAtCancel() {
        for end in 0..<3 {
            let upstream = TestPublisher<Int, TestFailure>()
            var subscriber: TestSubscriber<Int, TestFailure>? = TestSubscriber.checked(.unlimited)
            weak let weakSubscriber = subscriber
            subscriber.map { upstream.retry(1).subscribe($0) }
            upstream.send(completion: .failure(.first))
            switch end {
            case 0: upstream.finish()
            case 1: upstream.send(completion: .failure(.second))
            default: subscriber?.cancel()
            }
            subscriber = nil
            XCTAssertNil(weakSubscriber)
            XCTAssertTrue(upstream.areSubscriptionsReleased)
            XCTAssertFalse(upstream.isConnected)
        }
    }
}
