import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class TimeoutTests: XCTestCase {
    private let scheduler = TestScheduler()
    private let upstream = TestPublisher<Int, TestFailure>()
    private let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)

    func test_finishesAndCancelsUpstreamWhenNothingComes() {
        upstream.timeout(2, scheduler: scheduler).subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Timeout"), .request(.unlimited)])
        scheduler.advance(by: .milliseconds(1999))
        XCTAssertNil(subscriber.completion)
        scheduler.advance(by: .milliseconds(1))
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
    }

    func test_endsTheStreamWhileUpstreamBlocksInTheRequest() {
        var hadFinished = false
        let slow = AnyIterator { [self] () -> Int? in
            scheduler.advance(by: 3)
            hadFinished = subscriber.hasFinished
            return 1
        }
        slow.publisher.setFailureType(to: TestFailure.self).timeout(2, scheduler: scheduler).subscribe(subscriber)
        XCTAssertTrue(hadFinished, "not only when upstream has returned")
        XCTAssertEqual(subscriber.values, [])
    }

    func test_aSchedulerThatNeverWaitsGivesEverythingWithinARequestItsTime() {
        (1...3).publisher.setFailureType(to: TestFailure.self).timeout(
            .seconds(2), scheduler: ImmediateScheduler.shared
        )
        .subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_failsWithTheErrorThatTheClosureMakes() {
        upstream.timeout(2, scheduler: scheduler, customError: { .second }).subscribe(subscriber)
        scheduler.advance(by: 2)
        XCTAssertEqual(subscriber.failure, .second)
    }

    func test_waitsAnewFromEachValue() {
        upstream.timeout(2, scheduler: scheduler).subscribe(subscriber)
        for value in 1...5 {
            scheduler.advance(by: .milliseconds(1900))
            upstream.send(value)
        }
        scheduler.advance(by: .milliseconds(1999))
        XCTAssertEqual(subscriber.values, [1, 2, 3, 4, 5])
        XCTAssertNil(subscriber.completion)
        scheduler.advance(by: .milliseconds(1))
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(scheduler.scheduledCount, 6 + 6, "a job for each event, and one alarm an interval")
    }

    func test_doesNotSetAnAlarmForEachValue() {
        upstream.timeout(2, scheduler: scheduler).subscribe(subscriber)
        for value in 1...100 { upstream.send(value) }
        XCTAssertEqual(scheduler.unfinished.map(\.description), ["at 0s", "at 2s"], "one job and one alarm")
    }

    func test_forwardsValuesAndTheCompletionInOrderAndStopsWaiting() {
        upstream.timeout(2, scheduler: scheduler, customError: { .second }).subscribe(subscriber)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(subscriber.values, [])
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(subscriber.failure, .first)
        scheduler.runUntilIdle()
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_forwardsDemandAndEndsWithoutAny() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .max(1)) { _, _ in .max(2) }
        upstream.timeout(2, scheduler: scheduler).subscribe(subscriber)
        upstream.send(1)
        scheduler.runDue()
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .request(.max(2))])
        scheduler.advance(by: 2)
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_endsAPublisherThatNeverSaysAnything() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        Silent<Int, TestFailure>().timeout(2, scheduler: scheduler).subscribe(subscriber)
        scheduler.advance(by: 2)
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_ignoresWhatComesTooLate() {
        var downstream: AnySubscriber<Int, TestFailure>?
        Silent<Int, TestFailure> { downstream = $0 }.timeout(2, scheduler: scheduler).subscribe(subscriber)
        scheduler.advance(by: 2)
        XCTAssertEqual(downstream?.receive(1), Subscribers.Demand.none)
        downstream?.receive(completion: .failure(.first))
        scheduler.runUntilIdle()
        XCTAssertEqual(subscriber.values, [])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_releasesEverythingOnCancelThoughAnAlarmIsSet() {
        let living = Tracked.count
        let upstream = TestPublisher<Int, TestFailure>()
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

    func test_releasesEverythingAtTheEndThoughAnAlarmIsSet() {
        let living = Tracked.count
        let upstream = TestPublisher<Int, TestFailure>()
        do {
            let tracked = Tracked()
            upstream.timeout(1000, scheduler: scheduler) {
                _ = tracked
                return .first
            }
            .subscribe(subscriber)
        }
        upstream.finish()
        scheduler.runDue()
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(Tracked.count, living)
        XCTAssertEqual(scheduler.unfinished, [])
    }
}

/// Hands out a subscription that does nothing, and releases its subscriber.
private struct Silent<Output, Failure: Error>: Publisher {
    var show: (AnySubscriber<Output, Failure>) -> Void = { _ in }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        subscriber.receive(subscription: Subscriptions.empty)
        show(AnySubscriber(subscriber))
    }
}
