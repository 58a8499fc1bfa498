import Dispatch
import HeadgateEngine
import HeadgateTesting
import TestSupport
import XCTest

@testable import Headgate

final class DispatchTimerTests: XCTestCase {
    /// What ticks in place of Dispatch, by hand.
    // Used from the thread of the test alone.
    private final class Clockwork: @unchecked Sendable {
        var configurations: [DispatchTimerConfiguration] = []
        var stops = 0
        var tick: ((DispatchTime) -> Void)?
        var moment: UInt64 = 0

        func tickOnce() {
            moment += 1
            tick?(DispatchTime(uptimeNanoseconds: moment))
        }

        func timer(
            interval: DispatchTimeInterval = .seconds(1), times: Subscribers.Demand = .unlimited
        ) -> Publishers.DispatchTimer {
            let configuration = DispatchTimerConfiguration(interval: interval, leeway: .milliseconds(5), times: times)
            return Publishers.DispatchTimer(configuration: configuration) { configuration, conduit in
                self.configurations.append(configuration)
                self.tick = { [weak conduit] in conduit?.push($0) }
                return {
                    self.stops += 1
                    self.tick = nil
                }
            }
        }
    }

    private let clockwork = Clockwork()

    private func moments(_ numbers: UInt64...) -> [DispatchTime] {
        numbers.map { DispatchTime(uptimeNanoseconds: $0) }
    }

    func test_publishesTheMomentOfEachTick() {
        let subscriber = TestSubscriber<DispatchTime, Never>.checked(.unlimited)
        clockwork.timer().subscribe(subscriber)
        for _ in 0..<3 { clockwork.tickOnce() }
        XCTAssertEqual(subscriber.received.first, .subscription("DispatchTimer"))
        XCTAssertEqual(subscriber.values, moments(1, 2, 3))
        XCTAssertNil(subscriber.completion)
    }

    func test_startsAtTheFirstDemandWithItsConfiguration() {
        let subscriber = TestSubscriber<DispatchTime, Never>.checked()
        clockwork.timer(interval: .milliseconds(250)).subscribe(subscriber)
        subscriber.request(.none)
        XCTAssertEqual(clockwork.configurations.count, 0)
        subscriber.request(1)
        subscriber.request(1)
        XCTAssertEqual(clockwork.configurations.map(\.interval), [.milliseconds(250)])
        XCTAssertEqual(clockwork.configurations.map(\.leeway), [.milliseconds(5)])
    }

    func test_dropsTicksThatWereNotRequestedAndDoesNotCountThem() {
        let subscriber = TestSubscriber<DispatchTime, Never>.checked(.first(1))
        clockwork.timer(times: .max(3)).subscribe(subscriber)
        for _ in 0..<3 { clockwork.tickOnce() }
        XCTAssertEqual(subscriber.values, moments(1))
        subscriber.request(1)
        for _ in 0..<2 { clockwork.tickOnce() }
        subscriber.request(5)
        for _ in 0..<2 { clockwork.tickOnce() }
        XCTAssertEqual(subscriber.values, moments(1, 4, 6))
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_addsWhatTheSubscriberReturnsToItsDemand() {
        let subscriber = TestSubscriber<DispatchTime, Never>.checked(requesting: .max(1)) { subscriber, _ in
            subscriber.values.count == 1 ? .max(2) : .none
        }
        clockwork.timer().subscribe(subscriber)
        for _ in 0..<5 { clockwork.tickOnce() }
        XCTAssertEqual(subscriber.values, moments(1, 2, 3))
    }

    func test_addsARequestFromInsideADelivery() {
        let subscriber = TestSubscriber<DispatchTime, Never>.checked(.first(1)) { subscriber, _ in
            subscriber.request(1)
        }
        clockwork.timer(times: .max(4)).subscribe(subscriber)
        for _ in 0..<5 { clockwork.tickOnce() }
        XCTAssertEqual(subscriber.values, moments(1, 2, 3, 4))
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_stopsTickingBeforeItFinishes() {
        var stopsAtTheEnd = 0
        let subscriber = TestSubscriber<DispatchTime, Never>.checked(
            .unlimited, onCompletion: { _, _ in stopsAtTheEnd = self.clockwork.stops })
        clockwork.timer(times: .max(2)).subscribe(subscriber)
        let tick = clockwork.tick
        for _ in 0..<2 { clockwork.tickOnce() }
        XCTAssertEqual(stopsAtTheEnd, 1)
        tick?(.now())
        XCTAssertEqual(subscriber.values, moments(1, 2))
        XCTAssertEqual(clockwork.stops, 1)
    }

    func test_doesNotFinishTwiceWhenRequestedFromAfterTheEnd() {
        let subscriber = TestSubscriber<DispatchTime, Never>.checked(.unlimited)
        clockwork.timer(times: .max(1)).subscribe(subscriber)
        let subscription = subscriber.subscription
        clockwork.tickOnce()
        subscription?.request(.max(1))
        subscription?.request(.unlimited)
        XCTAssertEqual(subscriber.received.count, 3)
        XCTAssertEqual(clockwork.configurations.count, 1)
    }

    func test_finishesAtOnceWhereThereAreNoTimes() {
        let subscriber = TestSubscriber<DispatchTime, Never>.checked()
        clockwork.timer(times: .none).subscribe(subscriber)
        XCTAssertEqual(subscriber.received, [.subscription("Empty"), .completion(.finished)])
        XCTAssertEqual(clockwork.configurations.count, 0)
    }

    func test_cancelStopsTheClockOnce() {
        let subscriber = TestSubscriber<DispatchTime, Never>.checked(.unlimited)
        clockwork.timer().subscribe(subscriber)
        let subscription = subscriber.subscription
        clockwork.tickOnce()
        subscriber.cancel()
        subscription?.cancel()
        clockwork.tickOnce()
        XCTAssertEqual(subscriber.values, moments(1))
        XCTAssertEqual(clockwork.stops, 1)
    }

    func test_cancelFromInsideADeliveryStopsTheClock() {
        let subscriber = TestSubscriber<DispatchTime, Never>.checked(requesting: .unlimited) { subscriber, _ in
            subscriber.cancel()
            return .unlimited
        }
        clockwork.timer(times: .max(1)).subscribe(subscriber)
        clockwork.tickOnce()
        XCTAssertEqual(clockwork.stops, 1)
        XCTAssertNil(subscriber.completion)
    }

    func test_everySubscriberHasATimerOfItsOwn() {
        let timer = clockwork.timer()
        let first = TestSubscriber<DispatchTime, Never>.checked(.unlimited)
        let second = TestSubscriber<DispatchTime, Never>.checked(.unlimited)
        timer.subscribe(first)
        timer.subscribe(second)
        XCTAssertEqual(clockwork.configurations.count, 2)
        first.cancel()
        XCTAssertEqual(clockwork.stops, 1)
    }

    func test_releasingTheSubscriptionStopsTheClock() {
        let before = Tracked.count
        var subscription: (any Subscription)?
        clockwork.timer().subscribe(
            AnySubscriber<DispatchTime, Never>(
                receiveSubscription: { subscription = $0 },
                receiveValue: { [tracked = Tracked()] _ in
                    _ = tracked
                    return .none
                }))
        subscription?.request(.unlimited)
        XCTAssertEqual(Tracked.count, before + 1)
        subscription = nil
        XCTAssertEqual(clockwork.stops, 1)
        XCTAssertEqual(Tracked.count, before)
    }

    func test_ticksOnADispatchQueueAndReleasesEverything() {
        let queue = DispatchQueue(label: "DispatchTimerTests")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let before = Tracked.count
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var moments: [DispatchTime] = []
        nonisolated(unsafe) var isOnQueue = true
        let start = DispatchTime.now()
        let timer = Publishers.timer(queue: queue, interval: .milliseconds(2), times: .max(3))
        let subscription = timer.sink(
            receiveCompletion: { _ in done.signal() },
            receiveValue: { [tracked = Tracked()] moment in
                _ = tracked
                moments.append(moment)
                isOnQueue = isOnQueue && DispatchQueue.getSpecific(key: key) == true
            })
        XCTAssertEqual(done.wait(timeout: .now() + 60), .success)
        queue.sync {}
        XCTAssertEqual(moments.count, 3)
        XCTAssertEqual(moments, moments.sorted())
        XCTAssertGreaterThanOrEqual(moments[0], start + .milliseconds(2))
        XCTAssertTrue(isOnQueue)
        XCTAssertEqual(Tracked.count, before)
        subscription.cancel()
    }

    func test_aTimerThatNeverTicksCanBeCancelled() {
        let before = Tracked.count
        let subscription = Publishers.timer(interval: .never).sink { [tracked = Tracked()] _ in _ = tracked }
        subscription.cancel()
        XCTAssertEqual(Tracked.count, before)
    }
}
