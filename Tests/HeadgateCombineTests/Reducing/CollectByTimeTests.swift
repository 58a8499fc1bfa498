import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class CollectByTimeTests: XCTestCase {
    private let scheduler = TestScheduler()
    private let upstream = TestPublisher<Int, TestFailure>()
    private let subscriber = TestSubscriber<[Int], TestFailure>.checked(.unlimited)

    func test_publishesTheValuesOfEachSpan() {
        upstream.collect(.byTime(scheduler, 4)).subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("CollectByTime"), .request(.unlimited)])
        upstream.send(1)
        scheduler.advance(by: 3)
        upstream.send(2)
        XCTAssertEqual(subscriber.values, [])
        scheduler.advance(by: 1)
        XCTAssertEqual(subscriber.values, [[1, 2]])
        upstream.send(3)
        scheduler.advance(by: 4)
        XCTAssertEqual(subscriber.values, [[1, 2], [3]])
    }

    func test_countsSpansFromTheSubscriptionAndSetsNoAlarmForEmptyOnes() {
        upstream.collect(.byTime(scheduler, 4)).subscribe(subscriber)
        scheduler.advance(by: 1_000_001)
        XCTAssertEqual(scheduler.scheduledCount, 0)
        upstream.send(1)
        scheduler.advance(by: .milliseconds(2999))
        XCTAssertEqual(subscriber.values, [])
        scheduler.advance(by: .milliseconds(1))
        XCTAssertEqual(subscriber.values, [[1]])
        scheduler.advance(by: 40)
        XCTAssertEqual(subscriber.values, [[1]])
        XCTAssertEqual(scheduler.scheduledCount, 1)
    }

    func test_putsWhatArrivesAtTheEndOfASpanIntoTheNext() {
        upstream.collect(.byTime(scheduler, 4)).subscribe(subscriber)
        upstream.send(1)
        scheduler.advance(by: 4)
        upstream.send(2)
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [[1]])
        scheduler.advance(by: 4)
        XCTAssertEqual(subscriber.values, [[1], [2]])
    }

    func test_publishesAsSoonAsThereAreEnough() {
        upstream.collect(.byTimeOrCount(scheduler, 4, 2)).subscribe(subscriber)
        for value in 1...5 { upstream.send(value) }
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [[1, 2], [3, 4]])
        scheduler.advance(by: 4)
        XCTAssertEqual(subscriber.values, [[1, 2], [3, 4], [5]])
    }

    func test_publishesWhatItHasWhenUpstreamFinishes() {
        upstream.collect(.byTimeOrCount(scheduler, 4, 2)).subscribe(subscriber)
        for value in 1...3 { upstream.send(value) }
        upstream.finish()
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [[1, 2], [3]])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_publishesAFailureAtOnceInPlaceOfWhatItHas() {
        upstream.collect(.byTime(scheduler, 4)).subscribe(subscriber)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [])
        XCTAssertEqual(subscriber.failure, .first)
        scheduler.runUntilIdle()
    }

    func test_byTimeRequestsEverythingAndLetsAnArrayGrowUntilItIsRequested() {
        let subscriber = TestSubscriber<[Int], TestFailure>.checked()
        upstream.collect(.byTime(scheduler, 4)).subscribe(subscriber)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        for value in 1...3 {
            upstream.send(value)
            scheduler.advance(by: 4)
        }
        subscriber.request(1)
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [[1, 2, 3]])
    }

    func test_byCountRequestsTheCountForEachArrayAndLosesNothing() {
        let subscriber = TestSubscriber<[Int], TestFailure>.checked(requesting: .max(1)) { _, values in
            values == [1, 2] ? .max(1) : .none
        }
        upstream.collect(.byTimeOrCount(scheduler, 4, 3)).subscribe(subscriber)
        XCTAssertEqual(upstream.calls, [.request(.max(3))])
        upstream.send(1)
        upstream.send(2)
        scheduler.advance(by: 4)
        XCTAssertEqual(subscriber.values, [[1, 2]])
        XCTAssertEqual(upstream.calls, [.request(.max(3)), .request(.max(3))])
        for value in 3...6 { upstream.send(value) }
        scheduler.advance(by: 4)
        XCTAssertEqual(subscriber.values, [[1, 2], [3, 4, 5]])
        upstream.finish()
        scheduler.runUntilIdle()
        XCTAssertFalse(subscriber.hasFinished)
        subscriber.request(1)
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [[1, 2], [3, 4, 5], [6]])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_requestsEverythingWhenTheCountIsTooLargeToMultiply() {
        let subscriber = TestSubscriber<[Int], TestFailure>.checked(.first(2))
        upstream.collect(.byTimeOrCount(scheduler, 4, .max)).subscribe(subscriber)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
    }

    func test_cancelsUpstreamOnceAndReleasesWhatItHas() {
        let living = Tracked.count
        let upstream = TestPublisher<Tracked, Never>()
        let cancellable = upstream.collect(.byTime(scheduler, 4)).sink { [tracked = Tracked()] _ in _ = tracked }
        upstream.send(Tracked())
        XCTAssertEqual(Tracked.count, living + 2)
        cancellable.cancel()
        XCTAssertEqual(Tracked.count, living)
        XCTAssertEqual(upstream.cancelCount, 1)
        scheduler.runUntilIdle()
    }

    func test_publishesArraysOfOneOnASchedulerThatWaitsForNothing() {
        let subscriber = TestSubscriber<[Int], Never>.checked(.unlimited)
        (1...3).publisher.collect(.byTime(ImmediateScheduler.shared, 5)).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [[1], [2], [3]])
        XCTAssertTrue(subscriber.hasFinished)
    }
}
