import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class CollectByTimeTests: XCTestCase {
    private let scheduler = TestScheduler()
    private let upstream = HandPublisher<Int, TestFailure>()
    private let recorder = Recorder<[Int], TestFailure>(demand: .unlimited)

    func test_publishesTheValuesOfEachSpan() {
        upstream.collect(.byTime(scheduler, 4)).subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("CollectByTime")])
        upstream.send(1)
        scheduler.advance(by: 3)
        upstream.send(2)
        XCTAssertEqual(recorder.values, [])
        scheduler.advance(by: 1)
        XCTAssertEqual(recorder.values, [[1, 2]])
        upstream.send(3)
        scheduler.advance(by: 4)
        XCTAssertEqual(recorder.values, [[1, 2], [3]])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_countsSpansFromTheSubscriptionAndSetsNoAlarmForEmptyOnes() {
        upstream.collect(.byTime(scheduler, 4)).subscribe(recorder)
        scheduler.advance(by: 1_000_001)
        XCTAssertEqual(scheduler.scheduledCount, 0)
        upstream.send(1)
        scheduler.advance(by: .milliseconds(2999))
        XCTAssertEqual(recorder.values, [])
        scheduler.advance(by: .milliseconds(1))
        XCTAssertEqual(recorder.values, [[1]])
        scheduler.advance(by: 40)
        XCTAssertEqual(recorder.values, [[1]])
        XCTAssertEqual(scheduler.scheduledCount, 1)
    }

    func test_putsWhatArrivesAtTheEndOfASpanIntoTheNext() {
        upstream.collect(.byTime(scheduler, 4)).subscribe(recorder)
        upstream.send(1)
        scheduler.advance(by: 4)
        upstream.send(2)
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [[1]])
        scheduler.advance(by: 4)
        XCTAssertEqual(recorder.values, [[1], [2]])
    }

    func test_publishesAsSoonAsThereAreEnough() {
        upstream.collect(.byTimeOrCount(scheduler, 4, 2)).subscribe(recorder)
        for value in 1...5 { upstream.send(value) }
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [[1, 2], [3, 4]])
        scheduler.advance(by: 4)
        XCTAssertEqual(recorder.values, [[1, 2], [3, 4], [5]])
    }

    func test_publishesWhatItHasWhenUpstreamFinishes() {
        upstream.collect(.byTimeOrCount(scheduler, 4, 2)).subscribe(recorder)
        for value in 1...3 { upstream.send(value) }
        upstream.finish()
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [[1, 2], [3]])
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_publishesAFailureAtOnceInPlaceOfWhatItHas() {
        upstream.collect(.byTime(scheduler, 4)).subscribe(recorder)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [])
        XCTAssertEqual(recorder.failure, .first)
        scheduler.runUntilIdle()
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_byTimeAsksForEverythingAndLetsAnArrayGrowUntilItIsAskedFor() {
        let recorder = Recorder<[Int], TestFailure>()
        upstream.collect(.byTime(scheduler, 4)).subscribe(recorder)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        for value in 1...3 {
            upstream.send(value)
            scheduler.advance(by: 4)
        }
        recorder.request(1)
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [[1, 2, 3]])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_byCountAsksForTheCountForEachArrayAndLosesNothing() {
        let recorder = Recorder<[Int], TestFailure>(demand: .max(1)) { _, values in values == [1, 2] ? .max(1) : .none }
        upstream.collect(.byTimeOrCount(scheduler, 4, 3)).subscribe(recorder)
        XCTAssertEqual(upstream.calls, [.request(.max(3))])
        upstream.send(1)
        upstream.send(2)
        scheduler.advance(by: 4)
        XCTAssertEqual(recorder.values, [[1, 2]])
        XCTAssertEqual(upstream.calls, [.request(.max(3)), .request(.max(3))])
        for value in 3...6 { upstream.send(value) }
        scheduler.advance(by: 4)
        XCTAssertEqual(recorder.values, [[1, 2], [3, 4, 5]])
        upstream.finish()
        scheduler.runUntilIdle()
        XCTAssertFalse(recorder.hasFinished)
        recorder.request(1)
        scheduler.runDue()
        XCTAssertEqual(recorder.values, [[1, 2], [3, 4, 5], [6]])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_asksForEverythingWhenTheCountIsTooLargeToMultiply() {
        let recorder = Recorder<[Int], TestFailure>(demand: .max(2))
        upstream.collect(.byTimeOrCount(scheduler, 4, .max)).subscribe(recorder)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
    }

    func test_cancelsUpstreamOnceAndLetsGoOfWhatItHas() {
        let living = Tracked.count
        let upstream = HandPublisher<Tracked, Never>()
        let cancellable = upstream.collect(.byTime(scheduler, 4)).sink { [tracked = Tracked()] _ in _ = tracked }
        upstream.send(Tracked())
        XCTAssertEqual(Tracked.count, living + 2)
        cancellable.cancel()
        XCTAssertEqual(Tracked.count, living)
        XCTAssertEqual(upstream.cancelCount, 1)
        scheduler.runUntilIdle()
    }

    func test_publishesArraysOfOneOnASchedulerThatWaitsForNothing() {
        let recorder = Recorder<[Int], Never>(demand: .unlimited)
        (1...3).publisher.collect(.byTime(ImmediateScheduler.shared, 5)).subscribe(recorder)
        XCTAssertEqual(recorder.values, [[1], [2], [3]])
        XCTAssertTrue(recorder.hasFinished)
    }
}
