import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class DebounceTests: XCTestCase {
    private let scheduler = TestScheduler()
    private let upstream = TestPublisher<Int, TestFailure>()
    private let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)

    func test_publishesAValueThatNoneHasFollowedForTheDueTime() {
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Debounce"), .request(.unlimited)])
        upstream.send(1)
        scheduler.advance(by: 1)
        upstream.send(2)
        scheduler.advance(by: .milliseconds(1999))
        XCTAssertEqual(subscriber.values, [])
        scheduler.advance(by: .milliseconds(1))
        XCTAssertEqual(subscriber.values, [2])
        scheduler.advance(by: 10)
        upstream.send(3)
        scheduler.advance(by: 2)
        XCTAssertEqual(subscriber.values, [2, 3])
    }

    func test_publishesNothingWhileValuesKeepComing() {
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(subscriber)
        for value in 1...100 {
            upstream.send(value)
            scheduler.advance(by: 1)
        }
        XCTAssertEqual(subscriber.values, [])
        scheduler.advance(by: 1)
        XCTAssertEqual(subscriber.values, [100])
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_setsNoAlarmForAValueWhileOneIsSet() {
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(subscriber)
        for value in 1...1000 { upstream.send(value) }
        XCTAssertEqual(scheduler.scheduledCount, 1)
        scheduler.advance(by: 1)
        upstream.send(1001)
        scheduler.advance(by: 2)
        XCTAssertEqual(subscriber.values, [1001])
        XCTAssertEqual(scheduler.scheduledCount, 2)
    }

    func test_publishesTheLastValueAtOnceWhenUpstreamFinishes() {
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(subscriber)
        upstream.send(1)
        upstream.finish()
        XCTAssertEqual(subscriber.values, [])
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertTrue(subscriber.hasFinished)
        scheduler.runUntilIdle()
    }

    func test_publishesTheLastValueAndTheFailureAtOnce() {
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(subscriber)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_dropsAValueThatFallsDueAndHasNotBeenRequested() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(subscriber)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        upstream.send(1)
        scheduler.advance(by: 2)
        subscriber.request(1)
        scheduler.runUntilIdle()
        XCTAssertEqual(subscriber.values, [])
        upstream.send(2)
        scheduler.advance(by: 2)
        XCTAssertEqual(subscriber.values, [2])
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
    }

    func test_keepsTheLastValueUntilItIsRequestedWhereUpstreamFinishesBeforeItIsDue() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(subscriber)
        upstream.send(3)
        upstream.finish()
        scheduler.runUntilIdle()
        XCTAssertEqual(subscriber.values, [])
        XCTAssertFalse(subscriber.hasFinished)
        subscriber.request(1)
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [3])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_dropsAValueOutsideTheLock() {
        // Its end calls the operator.
        final class Talkative {
            let last: () -> Void
            init(_ last: @escaping () -> Void) { self.last = last }
            deinit { last() }
        }
        let upstream = TestPublisher<Talkative, Never>()
        var subscription: (any Subscription)?
        upstream.debounce(for: 2, scheduler: scheduler)
            .subscribe(AnySubscriber(receiveSubscription: { subscription = $0 }))
        var hasGone = false
        upstream.send(
            Talkative {
                hasGone = true
                subscription?.request(.max(1))
            })
        scheduler.advance(by: 2)
        XCTAssertTrue(hasGone)
        subscription?.cancel()
    }

    func test_doesNotKeepAFailureWaitingForDemand() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(subscriber)
        upstream.send(1)
        scheduler.advance(by: 2)
        upstream.send(completion: .failure(.first))
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_returnedDemandIsCounted() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .max(1)) { _, value in
            value == 1 ? .max(1) : .none
        }
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(subscriber)
        for value in 1...3 {
            upstream.send(value)
            scheduler.advance(by: 2)
        }
        XCTAssertEqual(subscriber.values, [1, 2])
    }

    func test_forwardsOptions() {
        let options = TestScheduler.SchedulerOptions(label: "options")
        upstream.debounce(for: 2, scheduler: scheduler, options: options).subscribe(subscriber)
        upstream.send(1)
        XCTAssertEqual(scheduler.unfinished.map(\.description), ["at 2s"])
        XCTAssertEqual(scheduler.unfinished.map(\.tolerance), [0])
        XCTAssertEqual(scheduler.unfinished.map(\.options), [options])
    }

    func test_cancelsUpstreamOnceAndReleasesWhatWaits() {
        let living = Tracked.count
        let upstream = TestPublisher<Tracked, Never>()
        let cancellable = upstream.debounce(for: 2, scheduler: scheduler).sink { [tracked = Tracked()] _ in _ = tracked
        }
        upstream.send(Tracked())
        upstream.send(Tracked())
        XCTAssertEqual(Tracked.count, living + 2)
        cancellable.cancel()
        XCTAssertEqual(Tracked.count, living)
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
        scheduler.runUntilIdle()
        XCTAssertEqual(scheduler.scheduledCount, 1)
    }

    func test_isFlatOnASchedulerThatWaitsForNothing() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        (0..<10_000).publisher.debounce(for: 1, scheduler: ImmediateScheduler.shared).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, Array(0..<10_000))
        XCTAssertTrue(subscriber.hasFinished)
    }
}
