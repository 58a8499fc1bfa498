import Dispatch
import HeadgateCombine
import HeadgateCore
import HeadgateTesting
import TestSupport
import XCTest

final class SubscribeOnTests: XCTestCase {
    private let scheduler = TestScheduler()
    private let upstream = TestPublisher<Int, TestFailure>()

    func test_subscribesRequestsAndCancelsOnTheSchedulerInThatOrder() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        upstream.subscribe(on: scheduler).subscribe(subscriber)
        XCTAssertEqual(upstream.subscriptionCount, 0)
        XCTAssertEqual(subscriber.events, [])
        scheduler.runDue()
        XCTAssertEqual(subscriber.events, [.subscription("SubscribeOn"), .request(.max(2))])
        XCTAssertEqual(upstream.calls, [.request(.max(2))])
        subscriber.request(3)
        subscriber.cancel()
        XCTAssertEqual(upstream.calls, [.request(.max(2))])
        scheduler.runDue()
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .request(.max(3)), .cancel])
    }

    func test_forwardsOptionsAndSchedulesOneJobForAllRequests() {
        let options = TestScheduler.SchedulerOptions(label: "options")
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        upstream.subscribe(on: scheduler, options: options).subscribe(subscriber)
        XCTAssertEqual(scheduler.unfinished.map(\.options), [options])
        scheduler.runDue()
        subscriber.request(1)
        subscriber.request(1)
        XCTAssertEqual(scheduler.unfinished.map(\.options), [options])
        scheduler.runDue()
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .request(.max(1)), .request(.max(1))])
    }

    func test_deliversValuesAndTheCompletionWhereTheyCome() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .unlimited) { _, _ in .max(1) }
        upstream.subscribe(on: scheduler).subscribe(subscriber)
        scheduler.runDue()
        XCTAssertEqual(upstream.answer(to: 1), .max(1))
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(
            subscriber.events,
            [
                .subscription("SubscribeOn"), .request(.unlimited), .value(1), .answer(.max(1)),
                .completion(.failure(.first)),
            ])
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_cancelsUpstreamAfterTheDeliveryInWhichItsSubscriberCancels() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(
            DemandScript(atSubscription: .unlimited, reactions: [.cancel]))
        upstream.subscribe(on: scheduler).subscribe(subscriber)
        scheduler.runDue()
        // The delivery may be inside the scheduler's job, and upstream need not deliver another value, nor end.
        upstream.send(1)
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
    }

    func test_forwardsTheCompletionWithoutDemand() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        upstream.subscribe(on: scheduler).subscribe(subscriber)
        scheduler.runDue()
        upstream.finish()
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_deliversNothingAfterCancelThoughTheSchedulerHasNotComeToIt() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.subscribe(on: scheduler).subscribe(subscriber)
        scheduler.runDue()
        subscriber.cancel()
        upstream.send(1)
        upstream.finish()
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [])
        XCTAssertNil(subscriber.completion)
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_stopsAnEndlessSourceOnCancelInsideADelivery() {
        var count = 0
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .unlimited) { subscriber, _ in
            count += 1
            if count == 3 { subscriber.cancel() }
            return .none
        }
        (0...).publisher.subscribe(on: scheduler).subscribe(subscriber)
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [0, 1, 2])
    }

    func test_doesNotSubscribeAfterCancel() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let waiting = TestScheduler()
        upstream.receive(on: waiting).subscribe(on: scheduler).subscribe(subscriber)
        scheduler.runDue()
        subscriber.cancel()
        scheduler.runDue()
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_requestsFromInsideADeliveryDoNotGrowTheStack() {
        let subscriber = TestSubscriber<Int, Never>.checked(.oneByOneReentrantly)
        (0..<20_000).publisher.subscribe(on: ImmediateScheduler.shared).subscribe(subscriber)
        XCTAssertEqual(subscriber.values.count, 20_000)
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_releasesItsSubscriberAtTheEndAndOnCancel() {
        for finishes in [true, false] {
            let upstream = TestPublisher<Int, TestFailure>()
            weak var weakSubscriber: TestSubscriber<Int, TestFailure>?
            var subscription: (any Subscription)?
            do {
                let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
                weakSubscriber = subscriber
                upstream.subscribe(on: scheduler).subscribe(subscriber)
                scheduler.runDue()
                subscription = subscriber.subscription
            }
            XCTAssertNotNil(weakSubscriber)
            if finishes { upstream.finish() } else { subscription?.cancel() }
            XCTAssertNil(weakSubscriber)
        }
    }

    func test_requestsInOrderOnAConcurrentQueue() {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let done = expectation(description: "finished")
        let sum = Guarded(0)
        let cancellable = (1...1000).publisher.subscribe(on: queue).receive(on: queue).sink(
            receiveCompletion: { _ in done.fulfill() }, receiveValue: { value in sum.withLock { $0 += value } })
        wait(for: [done], timeout: 60)
        cancellable.cancel()
        XCTAssertEqual(sum.withLock { $0 }, 500_500)
    }
}
