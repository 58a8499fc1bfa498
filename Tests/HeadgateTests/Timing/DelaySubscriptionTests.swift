import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class DelaySubscriptionTests: XCTestCase {
    private let scheduler = TestScheduler()
    private let upstream = TestPublisher<Int, TestFailure>()
    private let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))

    func test_subscribesWhenTheTimeIsUpAndRequestsWhatWasRequestedMeanwhile() {
        upstream.delaySubscription(for: .seconds(3), scheduler: scheduler).subscribe(subscriber)
        subscriber.request(.max(1))
        scheduler.advance(by: .milliseconds(2999))
        XCTAssertEqual(upstream.subscriptionCount, 0)
        scheduler.advance(by: .milliseconds(1))
        XCTAssertEqual(upstream.calls, [.request(.max(3))])
        upstream.send(1)
        upstream.fail(.first)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_aSourceThatIsCancelledBeforeIsNeverBegun() {
        upstream.delaySubscription(for: .seconds(3), scheduler: scheduler).subscribe(subscriber)
        subscriber.cancel()
        scheduler.runUntilIdle()
        XCTAssertEqual(upstream.subscriptionCount, 0)
    }

    func test_valuesAreNotDelayed() {
        upstream.delaySubscription(for: .seconds(3), scheduler: scheduler).subscribe(subscriber)
        scheduler.advance(by: 3)
        upstream.send(1)
        XCTAssertEqual(subscriber.values, [1])
    }
}
