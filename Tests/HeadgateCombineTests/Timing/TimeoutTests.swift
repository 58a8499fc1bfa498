import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class TimeoutTests: XCTestCase {
    private let scheduler = TestScheduler()
    private let upstream = HandPublisher<Int, TestFailure>()
    private let recorder = Recorder<Int, TestFailure>(demand: .unlimited)

    func test_finishesAndCancelsUpstreamWhenNothingComes() {
        upstream.timeout(2, scheduler: scheduler).subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("Timeout")])
        scheduler.advance(by: .milliseconds(1999))
        XCTAssertNil(recorder.completion)
        scheduler.advance(by: .milliseconds(1))
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_failsWithTheErrorThatTheClosureMakes() {
        upstream.timeout(2, scheduler: scheduler, customError: { .second }).subscribe(recorder)
        scheduler.advance(by: 2)
        XCTAssertEqual(recorder.failure, .second)
    }

    func test_waitsAnewFromEachValue() {
        upstream.timeout(2, scheduler: scheduler).subscribe(recorder)
        for value in 1...5 {
            scheduler.advance(by: .milliseconds(1900))
            upstream.send(value)
        }
        scheduler.advance(by: .milliseconds(1999))
        XCTAssertEqual(recorder.values, [1, 2, 3, 4, 5])
        XCTAssertNil(recorder.completion)
        scheduler.advance(by: .milliseconds(1))
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(scheduler.scheduledCount, 6 + 6, "a job for each event, and one alarm an interval")
    }

    func test_doesNotSetAnAlarmForEachValue() {
        upstream.timeout(2, scheduler: scheduler).subscribe(recorder)
        for value in 1...100 { upstream.send(value) }
        XCTAssertEqual(scheduler.unfinished.map(\.description), ["at 0s", "at 2s"], "one job and one alarm")
    }

    func test_passesValuesAndTheCompletionOnInOrderAndStopsWaiting() {
        upstream.timeout(2, scheduler: scheduler, customError: { .second }).subscribe(recorder)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(recorder.values, [])
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [1])
        XCTAssertEqual(recorder.failure, .first)
        scheduler.runUntilIdle()
        XCTAssertEqual(recorder.breaches, [])
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_passesDemandOnAndEndsWithoutAny() {
        let recorder = Recorder<Int, TestFailure>(demand: .max(1)) { _, _ in .max(2) }
        upstream.timeout(2, scheduler: scheduler).subscribe(recorder)
        upstream.send(1)
        scheduler.runDue()
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .request(.max(2))])
        scheduler.advance(by: 2)
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_endsAPublisherThatNeverSaysAnything() {
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        Silent<Int, TestFailure>().timeout(2, scheduler: scheduler).subscribe(recorder)
        scheduler.advance(by: 2)
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_ignoresWhatComesTooLate() {
        var subscriber: AnySubscriber<Int, TestFailure>?
        Silent<Int, TestFailure> { subscriber = $0 }.timeout(2, scheduler: scheduler).subscribe(recorder)
        scheduler.advance(by: 2)
        XCTAssertEqual(subscriber?.receive(1), Subscribers.Demand.none)
        subscriber?.receive(completion: .failure(.first))
        scheduler.runUntilIdle()
        XCTAssertEqual(recorder.values, [])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_letsGoOfEverythingOnCancelThoughAnAlarmIsSet() {
        let living = Tracked.count
        let upstream = HandPublisher<Int, TestFailure>()
        var cancellable: AnyCancellable?
        do {
            let tracked = Tracked()
            cancellable = upstream.timeout(1000, scheduler: scheduler) {
                _ = tracked
                return .first
            }
            .sink(receiveCompletion: { _ in _ = tracked }, receiveValue: { _ in })
        }
        XCTAssertEqual(Tracked.count, living + 1)
        cancellable?.cancel()
        XCTAssertEqual(Tracked.count, living)
        XCTAssertEqual(upstream.cancelCount, 1)
        scheduler.runUntilIdle()
    }

    func test_letsGoOfEverythingAtTheEndThoughAnAlarmIsSet() {
        let living = Tracked.count
        let upstream = HandPublisher<Int, TestFailure>()
        do {
            let tracked = Tracked()
            upstream.timeout(1000, scheduler: scheduler) {
                _ = tracked
                return .first
            }
            .subscribe(recorder)
        }
        upstream.finish()
        scheduler.runDue()
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(Tracked.count, living)
        XCTAssertEqual(scheduler.unfinished.count, 1)
    }
}

/// Hands out a subscription that does nothing, and lets go of its subscriber.
private struct Silent<Output, Failure: Error>: Publisher {
    var show: (AnySubscriber<Output, Failure>) -> Void = { _ in }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        subscriber.receive(subscription: Subscriptions.empty)
        show(AnySubscriber(subscriber))
    }
}
