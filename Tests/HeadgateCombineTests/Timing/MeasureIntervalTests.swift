import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class MeasureIntervalTests: XCTestCase {
    private typealias Stride = TestTime.Stride

    private let scheduler = TestScheduler()
    private let upstream = TestPublisher<Int, TestFailure>(sendsSubscription: false)
    private let subscriber = TestSubscriber<Stride, TestFailure>.checked(.unlimited)

    func test_publishesTheTimeBetweenValuesFromTheSubscriptionOn() {
        upstream.measureInterval(using: scheduler).subscribe(subscriber)
        scheduler.advance(by: 100)
        upstream.sendSubscription()
        scheduler.advance(by: 2)
        upstream.send(1)
        scheduler.advance(by: .milliseconds(5))
        upstream.send(2)
        upstream.send(3)
        upstream.finish()
        XCTAssertEqual(
            subscriber.events,
            [
                .subscription("MeasureInterval"), .request(.unlimited), .value(2), .value(.milliseconds(5)), .value(0),
                .completion(.finished),
            ])
        XCTAssertEqual(scheduler.scheduledCount, 0, "the scheduler only tells the time")
    }

    func test_forwardsDemandAndReturnsIt() {
        let subscriber = TestSubscriber<Stride, TestFailure>.checked(requesting: .max(1)) { _, _ in .max(2) }
        upstream.measureInterval(using: scheduler).subscribe(subscriber)
        upstream.sendSubscription()
        XCTAssertEqual(upstream.answer(to: 1), .max(2))
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .answer(.max(2))])
    }

    func test_forwardsFailure() {
        upstream.measureInterval(using: scheduler).subscribe(subscriber)
        upstream.sendSubscription()
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_cancelsUpstreamOnceAndDeliversNothingMore() {
        let upstream = TestPublisher<Int, TestFailure>(sendsSubscription: false, keepsSubscribers: true)
        let subscriber = TestSubscriber<Stride, TestFailure>.checked(.cancelling(atValue: 1))
        upstream.measureInterval(using: scheduler).subscribe(subscriber)
        upstream.sendSubscription()
        upstream.send(1)
        upstream.force(2)
        XCTAssertEqual(subscriber.values.count, 1)
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_releasesItsSubscriberAtTheEnd() {
        weak var weakSubscriber: TestSubscriber<Stride, TestFailure>?
        do {
            let subscriber = TestSubscriber<Stride, TestFailure>.checked(.unlimited)
            weakSubscriber = subscriber
            upstream.measureInterval(using: scheduler).subscribe(subscriber)
            upstream.sendSubscription()
        }
        upstream.finish()
        XCTAssertNil(weakSubscriber)
    }
}
