import Dispatch
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
            return Publishers.DispatchTimer(configuration: configuration) { configuration, tick in
                self.configurations.append(configuration)
                self.tick = tick
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
        let recorder = Recorder<DispatchTime, Never>(demand: .unlimited)
        clockwork.timer().subscribe(recorder)
        for _ in 0..<3 { clockwork.tickOnce() }
        XCTAssertEqual(recorder.events.first, .subscription("DispatchTimer"))
        XCTAssertEqual(recorder.values, moments(1, 2, 3))
        XCTAssertNil(recorder.completion)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_startsAtTheFirstDemandWithItsConfiguration() {
        let recorder = Recorder<DispatchTime, Never>()
        clockwork.timer(interval: .milliseconds(250)).subscribe(recorder)
        recorder.request(.none)
        XCTAssertEqual(clockwork.configurations.count, 0)
        recorder.request(1)
        recorder.request(1)
        XCTAssertEqual(clockwork.configurations.map(\.interval), [.milliseconds(250)])
        XCTAssertEqual(clockwork.configurations.map(\.leeway), [.milliseconds(5)])
    }

    func test_dropsTicksThatNobodyAskedForAndDoesNotCountThem() {
        let recorder = Recorder<DispatchTime, Never>(demand: .max(1))
        clockwork.timer(times: .max(3)).subscribe(recorder)
        for _ in 0..<3 { clockwork.tickOnce() }
        XCTAssertEqual(recorder.values, moments(1))
        recorder.request(1)
        for _ in 0..<2 { clockwork.tickOnce() }
        recorder.request(5)
        for _ in 0..<2 { clockwork.tickOnce() }
        XCTAssertEqual(recorder.values, moments(1, 4, 6))
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_addsWhatTheSubscriberReturnsToItsDemand() {
        let recorder = Recorder<DispatchTime, Never>(demand: .max(1)) { recorder, _ in
            recorder.values.count == 1 ? .max(2) : .none
        }
        clockwork.timer().subscribe(recorder)
        for _ in 0..<5 { clockwork.tickOnce() }
        XCTAssertEqual(recorder.values, moments(1, 2, 3))
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_addsARequestFromInsideADelivery() {
        let recorder = Recorder<DispatchTime, Never>(demand: .max(1)) { recorder, _ in
            recorder.request(1)
            return .none
        }
        clockwork.timer(times: .max(4)).subscribe(recorder)
        for _ in 0..<5 { clockwork.tickOnce() }
        XCTAssertEqual(recorder.values, moments(1, 2, 3, 4))
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_stopsTickingBeforeItFinishes() {
        var stopsAtTheEnd = 0
        let recorder = Recorder<DispatchTime, Never>(demand: .unlimited)
        recorder.onCompletion = { _ in stopsAtTheEnd = self.clockwork.stops }
        clockwork.timer(times: .max(2)).subscribe(recorder)
        let tick = clockwork.tick
        for _ in 0..<2 { clockwork.tickOnce() }
        XCTAssertEqual(stopsAtTheEnd, 1)
        tick?(.now())
        XCTAssertEqual(recorder.values, moments(1, 2))
        XCTAssertEqual(clockwork.stops, 1)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_doesNotFinishTwiceWhenAskedAfterTheEnd() {
        let recorder = Recorder<DispatchTime, Never>(demand: .unlimited)
        clockwork.timer(times: .max(1)).subscribe(recorder)
        let subscription = recorder.subscription
        clockwork.tickOnce()
        subscription?.request(.max(1))
        subscription?.request(.unlimited)
        XCTAssertEqual(recorder.events.count, 3)
        XCTAssertEqual(clockwork.configurations.count, 1)
    }

    func test_finishesAtOnceWhereThereAreNoTimes() {
        let recorder = Recorder<DispatchTime, Never>()
        clockwork.timer(times: .none).subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("Empty"), .completion(.finished)])
        XCTAssertEqual(clockwork.configurations.count, 0)
    }

    func test_cancelStopsTheClockOnce() {
        let recorder = Recorder<DispatchTime, Never>(demand: .unlimited)
        clockwork.timer().subscribe(recorder)
        let subscription = recorder.subscription
        clockwork.tickOnce()
        recorder.cancel()
        subscription?.cancel()
        clockwork.tickOnce()
        XCTAssertEqual(recorder.values, moments(1))
        XCTAssertEqual(clockwork.stops, 1)
    }

    func test_cancelFromInsideADeliveryStopsTheClock() {
        let recorder = Recorder<DispatchTime, Never>(demand: .unlimited) { recorder, _ in
            recorder.cancel()
            return .unlimited
        }
        clockwork.timer(times: .max(1)).subscribe(recorder)
        clockwork.tickOnce()
        XCTAssertEqual(clockwork.stops, 1)
        XCTAssertNil(recorder.completion)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_everySubscriberHasATimerOfItsOwn() {
        let timer = clockwork.timer()
        let first = Recorder<DispatchTime, Never>(demand: .unlimited)
        let second = Recorder<DispatchTime, Never>(demand: .unlimited)
        timer.subscribe(first)
        timer.subscribe(second)
        XCTAssertEqual(clockwork.configurations.count, 2)
        first.cancel()
        XCTAssertEqual(clockwork.stops, 1)
    }

    func test_lettingGoOfTheSubscriptionStopsTheClock() {
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

    func test_ticksOnADispatchQueueAndLetsGoOfEverything() {
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
