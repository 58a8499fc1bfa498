import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class ThrottleTests: XCTestCase {
    private let scheduler = TestScheduler()
    private let upstream = HandPublisher<Int, TestFailure>()
    private let recorder = Recorder<Int, TestFailure>(demand: .unlimited)

    func test_publishesTheFirstValueAndThenTheLatestOfEachInterval() {
        upstream.throttle(for: 2, scheduler: scheduler, latest: true).subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("Throttle")])
        upstream.send(1)
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [1])
        for value in 2...4 { upstream.send(value) }
        scheduler.advance(by: 1)
        upstream.send(5)
        scheduler.advance(by: .milliseconds(999))
        XCTAssertEqual(recorder.values, [1])
        scheduler.advance(by: .milliseconds(1))
        XCTAssertEqual(recorder.values, [1, 5])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_publishesTheEarliestValueOfEachInterval() {
        upstream.throttle(for: 2, scheduler: scheduler, latest: false).subscribe(recorder)
        upstream.send(1)
        scheduler.runDue()
        upstream.send(2)
        scheduler.advance(by: 1)
        upstream.send(3)
        scheduler.advance(by: 1)
        XCTAssertEqual(recorder.values, [1, 2])
    }

    func test_publishesOneValueOfABurstThatComesBeforeTheScheduler() {
        for (latest, chosen) in [(true, 3), (false, 1)] {
            let upstream = HandPublisher<Int, TestFailure>()
            let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
            upstream.throttle(for: 2, scheduler: scheduler, latest: latest).subscribe(recorder)
            for value in 1...3 { upstream.send(value) }
            upstream.finish()
            scheduler.runUntilIdle()
            XCTAssertEqual(recorder.values, [chosen])
            XCTAssertTrue(recorder.hasFinished)
            XCTAssertEqual(recorder.breaches, [])
        }
    }

    func test_doesNotKeepTheLastValueForEver() {
        upstream.throttle(for: 2, scheduler: scheduler, latest: true).subscribe(recorder)
        upstream.send(1)
        scheduler.runDue()
        upstream.send(2)
        scheduler.advance(by: 2)
        XCTAssertEqual(recorder.values, [1, 2])
        scheduler.advance(by: 10)
        XCTAssertEqual(recorder.values, [1, 2])
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_publishesAtOnceWhatArrivesWhenTheIntervalHasJustPassed() {
        upstream.throttle(for: 2, scheduler: scheduler, latest: true).subscribe(recorder)
        upstream.send(1)
        scheduler.advance(by: 2)
        upstream.send(2)
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [1, 2])
        scheduler.advance(by: .nanoseconds(1_999_999_999))
        upstream.send(3)
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [1, 2])
        scheduler.advance(by: .nanoseconds(1))
        XCTAssertEqual(recorder.values, [1, 2, 3])
    }

    func test_finishesAtOnceWhenNothingWaits() {
        upstream.throttle(for: 2, scheduler: scheduler, latest: true).subscribe(recorder)
        upstream.send(1)
        scheduler.runDue()
        upstream.finish()
        scheduler.runDue()
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_finishesBehindTheValueThatWaitsForItsTime() {
        upstream.throttle(for: 2, scheduler: scheduler, latest: true).subscribe(recorder)
        upstream.send(1)
        scheduler.runDue()
        upstream.send(2)
        upstream.finish()
        scheduler.advance(by: 1)
        XCTAssertEqual(recorder.values, [1])
        XCTAssertFalse(recorder.hasFinished)
        scheduler.advance(by: 1)
        XCTAssertEqual(recorder.values, [1, 2])
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_publishesTheValueThatWaitsAheadOfAFailureAtOnce() {
        upstream.throttle(for: 2, scheduler: scheduler, latest: true).subscribe(recorder)
        upstream.send(1)
        scheduler.runDue()
        upstream.send(2)
        upstream.send(completion: .failure(.first))
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [1, 2])
        XCTAssertEqual(recorder.failure, .first)
    }

    func test_asksForEverythingAndKeepsAValueUntilItIsAskedFor() {
        for (latest, kept) in [(true, 3), (false, 1)] {
            let upstream = HandPublisher<Int, TestFailure>()
            let recorder = Recorder<Int, TestFailure>()
            upstream.throttle(for: 2, scheduler: scheduler, latest: latest).subscribe(recorder)
            XCTAssertEqual(upstream.calls, [.request(.unlimited)])
            for value in 1...3 {
                upstream.send(value)
                scheduler.advance(by: 2)
            }
            recorder.request(1)
            scheduler.runDue()
            XCTAssertEqual(recorder.values, [kept])
            XCTAssertEqual(recorder.breaches, [])
        }
    }

    func test_cancelsUpstreamOnceAndLetsGoOfWhatWaits() {
        let living = Tracked.count
        let upstream = HandPublisher<Tracked, Never>()
        let cancellable = upstream.throttle(for: 2, scheduler: scheduler, latest: false)
            .sink { [tracked = Tracked()] _ in _ = tracked }
        upstream.send(Tracked())
        upstream.send(Tracked())
        XCTAssertEqual(Tracked.count, living + 2)
        cancellable.cancel()
        XCTAssertEqual(Tracked.count, living)
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
        scheduler.runUntilIdle()
    }

    func test_deliversNothingAfterCancelInsideADelivery() {
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited) { recorder, _ in
            recorder.cancel()
            return .none
        }
        upstream.throttle(for: 2, scheduler: scheduler, latest: true).subscribe(recorder)
        upstream.send(1)
        scheduler.runDue()
        upstream.send(2)
        scheduler.runUntilIdle()
        XCTAssertEqual(recorder.values, [1])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_isFlatWhenEachValueBringsTheNext() {
        let subject = PassthroughSubject<Int, Never>()
        var count = 0
        let cancellable = subject.throttle(for: 1, scheduler: ImmediateScheduler.shared, latest: true).sink {
            count = $0
            if $0 < 10_000 { subject.send($0 + 1) }
        }
        subject.send(1)
        XCTAssertEqual(count, 10_000)
        cancellable.cancel()
    }
}
