import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class BatchTests: XCTestCase {
    func test_holdsUpstreamBackAndLosesNothing() {
        let upstream = TestPublisher<Int, TestFailure>(serving: Array(1...10), ending: .failure(.first))
        let subscriber = TestSubscriber<[Int], TestFailure>.checked(.first(1))
        upstream.batch(count: 4).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [[1, 2, 3, 4]])
        XCTAssertEqual(upstream.requested, .max(4))
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [[1, 2, 3, 4], [5, 6, 7, 8]])
        XCTAssertNil(subscriber.completion)
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values.last, [9, 10])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_readsNothingBeforeTheFirstDemand() {
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<[Int], Never>.checked(.none)
        upstream.batch(count: 4).subscribe(subscriber)
        XCTAssertEqual(upstream.requested, .none)
    }

    func test_weightsCompleteABatch() {
        let upstream = TestPublisher<Int, Never>(serving: [3, 1, 9, -1, 0, 2])
        let subscriber = TestSubscriber<[Int], Never>.checked(.oneByOne)
        upstream.batch(count: 4, weight: { $0 }).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [[3, 1], [9], [-1, 0, 2]])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_aWeightMayBeAsLargeAsThereAreNumbers() {
        let weights = [1, 1, Int.max, 2, .max, .max]
        let expected = [[1, 1, .max], [2, .max], [.max]]
        let subscriber = TestSubscriber<[Int], Never>.checked(.unlimited)
        weights.publisher.batch(count: 10, weight: { $0 }).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, expected)
        let timed = TestSubscriber<[Int], Never>.checked(.unlimited)
        weights.publisher
            .batch(count: 10, weight: { $0 }, within: .seconds(1), scheduler: TestScheduler()).subscribe(timed)
        XCTAssertEqual(timed.values, expected)
    }

    func test_theFirstValueWaitsNoLongerThanItMay() {
        let scheduler = TestScheduler()
        let upstream = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<[Int], Never>.checked(.unlimited, clock: scheduler)
        upstream.batch(count: 3, within: .seconds(2), scheduler: scheduler).subscribe(subscriber)
        upstream.send(1)
        scheduler.advance(by: .seconds(1))
        (2...4).forEach { upstream.send($0) }
        XCTAssertEqual(subscriber.values, [[1, 2, 3]])
        scheduler.advance(by: .milliseconds(1999))
        XCTAssertEqual(subscriber.values.count, 1, "4 came when the alarm for 1 had a second to go")
        scheduler.advance(by: .milliseconds(1))
        XCTAssertEqual(subscriber.values, [[1, 2, 3], [4]])
        XCTAssertEqual(scheduler.unfinished.count, 0)
        upstream.send(5)
        upstream.send(completion: .finished)
        XCTAssertEqual(subscriber.values, [[1, 2, 3], [4], [5]])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_aBatchThatIsDueGrowsUntilItIsRequested() {
        let scheduler = TestScheduler()
        let upstream = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<[Int], Never>.checked(.first(1))
        upstream.batch(count: 3, within: .seconds(1), scheduler: scheduler).subscribe(subscriber)
        upstream.send(1)
        scheduler.advance(by: .seconds(1))
        upstream.send(2)
        scheduler.advance(by: .seconds(5))
        upstream.send(3)
        XCTAssertEqual(subscriber.values, [[1]])
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [[1], [2, 3]])
    }

    func test_requestsNothingForABatchThatIsNotRequested() {
        let scheduler = TestScheduler()
        for weight: (@Sendable (Int) -> Int)? in [nil, { _ in 1 }] {
            let upstream = TestPublisher<Int, Never>()
            let subscriber = TestSubscriber<[Int], Never>.checked(.first(1))
            upstream.batch(count: 2, weight: weight, within: .seconds(1), scheduler: scheduler).subscribe(subscriber)
            (1...2).forEach { upstream.send($0) }
            XCTAssertEqual(subscriber.values, [[1, 2]])
            XCTAssertEqual(upstream.outstanding, .none)
            subscriber.request(.max(1))
            XCTAssertEqual(upstream.outstanding, weight == nil ? .max(2) : .max(1))
            // A batch that its time completes leaves room that has been requested, and that is not requested again.
            upstream.send(3)
            scheduler.advance(by: .seconds(1))
            XCTAssertEqual(subscriber.values, [[1, 2], [3]])
            subscriber.request(.max(1))
            XCTAssertEqual(upstream.outstanding, weight == nil ? .max(2) : .max(1))
        }
    }

    func test_aClockThatStandsStillOrNoTimeAtAllLosesNothing() {
        let subscriber = TestSubscriber<[Int], Never>.checked(.unlimited)
        (1...5).publisher.batch(count: 2, within: .seconds(1), scheduler: ImmediateScheduler.shared)
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.values.flatMap { $0 }, Array(1...5))
        XCTAssertTrue(subscriber.hasFinished)
        for interval in [TestTime.Stride.zero, .nanoseconds(.max)] {
            let scheduler = TestScheduler()
            scheduler.advance(by: .seconds(1))
            let subscriber = TestSubscriber<[Int], Never>.checked(.unlimited)
            (1...5).publisher.batch(count: 2, within: interval, scheduler: scheduler).subscribe(subscriber)
            scheduler.runUntilIdle()
            XCTAssertEqual(subscriber.values, [[1, 2], [3, 4], [5]])
        }
    }

    func test_carriesAMillionValues() {
        let subscriber = CountingSubscriber<[Int], Never>()
        let count = Scale.reduced(1_000_000)
        (0..<count).publisher.batch(count: 10).subscribe(subscriber)
        XCTAssertEqual(subscriber.count, count / 10)
        XCTAssertTrue(subscriber.hasFinished)
    }
}
