import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class DebounceTests: XCTestCase {
    private let scheduler = TestScheduler()
    private let upstream = HandPublisher<Int, TestFailure>()
    private let recorder = Recorder<Int, TestFailure>(demand: .unlimited)

    func test_publishesAValueThatNoneHasFollowedForTheDueTime() {
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("Debounce")])
        upstream.send(1)
        scheduler.advance(by: 1)
        upstream.send(2)
        scheduler.advance(by: .milliseconds(1999))
        XCTAssertEqual(recorder.values, [])
        scheduler.advance(by: .milliseconds(1))
        XCTAssertEqual(recorder.values, [2])
        scheduler.advance(by: 10)
        upstream.send(3)
        scheduler.advance(by: 2)
        XCTAssertEqual(recorder.values, [2, 3])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_publishesNothingWhileValuesKeepComing() {
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(recorder)
        for value in 1...100 {
            upstream.send(value)
            scheduler.advance(by: 1)
        }
        XCTAssertEqual(recorder.values, [])
        scheduler.advance(by: 1)
        XCTAssertEqual(recorder.values, [100])
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_setsNoAlarmForAValueWhileOneIsSet() {
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(recorder)
        for value in 1...1000 { upstream.send(value) }
        XCTAssertEqual(scheduler.scheduledCount, 1)
        scheduler.advance(by: 1)
        upstream.send(1001)
        scheduler.advance(by: 2)
        XCTAssertEqual(recorder.values, [1001])
        XCTAssertEqual(scheduler.scheduledCount, 2)
    }

    func test_publishesTheLastValueAtOnceWhenUpstreamFinishes() {
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(recorder)
        upstream.send(1)
        upstream.finish()
        XCTAssertEqual(recorder.values, [])
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [1])
        XCTAssertTrue(recorder.hasFinished)
        scheduler.runUntilIdle()
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_publishesTheLastValueAndTheFailureAtOnce() {
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(recorder)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [1])
        XCTAssertEqual(recorder.failure, .first)
    }

    func test_dropsAValueThatFallsDueAndHasNotBeenRequested() {
        let recorder = Recorder<Int, TestFailure>()
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(recorder)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        upstream.send(1)
        scheduler.advance(by: 2)
        recorder.request(1)
        scheduler.runUntilIdle()
        XCTAssertEqual(recorder.values, [])
        upstream.send(2)
        scheduler.advance(by: 2)
        XCTAssertEqual(recorder.values, [2])
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_keepsTheLastValueUntilItIsRequestedWhereUpstreamFinishesBeforeItIsDue() {
        let recorder = Recorder<Int, TestFailure>()
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(recorder)
        upstream.send(3)
        upstream.finish()
        scheduler.runUntilIdle()
        XCTAssertEqual(recorder.values, [])
        XCTAssertFalse(recorder.hasFinished)
        recorder.request(1)
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [3])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_dropsAValueOutsideTheLock() {
        // Its end calls the operator.
        final class Talkative {
            let last: () -> Void
            init(_ last: @escaping () -> Void) { self.last = last }
            deinit { last() }
        }
        let upstream = HandPublisher<Talkative, Never>()
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
        let recorder = Recorder<Int, TestFailure>()
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(recorder)
        upstream.send(1)
        scheduler.advance(by: 2)
        upstream.send(completion: .failure(.first))
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [])
        XCTAssertEqual(recorder.failure, .first)
    }

    func test_returnedDemandIsCounted() {
        let recorder = Recorder<Int, TestFailure>(demand: .max(1)) { _, value in value == 1 ? .max(1) : .none }
        upstream.debounce(for: 2, scheduler: scheduler).subscribe(recorder)
        for value in 1...3 {
            upstream.send(value)
            scheduler.advance(by: 2)
        }
        XCTAssertEqual(recorder.values, [1, 2])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_passesOptionsOn() {
        let options = TestScheduler.SchedulerOptions(label: "options")
        upstream.debounce(for: 2, scheduler: scheduler, options: options).subscribe(recorder)
        upstream.send(1)
        XCTAssertEqual(scheduler.unfinished.map(\.description), ["at 2s"])
        XCTAssertEqual(scheduler.unfinished.map(\.tolerance), [0])
        XCTAssertEqual(scheduler.unfinished.map(\.options), [options])
    }

    func test_cancelsUpstreamOnceAndLetsGoOfWhatWaits() {
        let living = Tracked.count
        let upstream = HandPublisher<Tracked, Never>()
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
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        (0..<10_000).publisher.debounce(for: 1, scheduler: ImmediateScheduler.shared).subscribe(recorder)
        XCTAssertEqual(recorder.values, Array(0..<10_000))
        XCTAssertTrue(recorder.hasFinished)
    }
}
