import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class RateLimitTests: XCTestCase {
    private let scheduler = TestScheduler()

    private func moments(_ subscriber: TestSubscriber<Int, Never>) -> [Int] {
        subscriber.timedValues.map { $0.time.nanoseconds / 1_000_000 }
    }

    func test_aFullBucketLetsABurstPassAndThenOneAtATime() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited, clock: scheduler)
        (1...6).publisher.rateLimit(2, per: .seconds(1), scheduler: scheduler).subscribe(subscriber)
        XCTAssertEqual(scheduler.unfinished.count, 1)
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(subscriber.values, [1, 2, 3, 4, 5, 6])
        XCTAssertEqual(moments(subscriber), [0, 0, 500, 1000, 1500, 2000])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_noMoreComeInAnyLengthOfTimeThoughTheSourceWasSilentForLong() {
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited, clock: scheduler)
        upstream.rateLimit(10, per: .seconds(1), burst: 3, scheduler: scheduler).subscribe(subscriber)
        scheduler.advance(by: .seconds(100))
        XCTAssertEqual(upstream.outstanding, .max(3))
        for number in 1...10 { upstream.send(number) }
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        scheduler.advance(by: .milliseconds(100))
        XCTAssertEqual(upstream.outstanding, .max(1))
    }

    func test_whatCostsMoreThanThereIsLeavesADebt() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited, clock: scheduler)
        [5, 1, 0, 0, 2].publisher.rateLimit(1, per: .seconds(1), burst: 2, cost: { $0 }, scheduler: scheduler)
            .subscribe(subscriber)
        scheduler.runUntilIdle()
        XCTAssertEqual(subscriber.values, [5, 1, 0, 0, 2])
        XCTAssertEqual(moments(subscriber), [0, 4000, 5000, 5000, 5000])
    }

    func test_forwardsNoMoreThanIsRequested() {
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(3))
        upstream.rateLimit(100, per: .seconds(1), scheduler: scheduler).subscribe(subscriber)
        XCTAssertEqual(upstream.requested, .max(3))
        subscriber.request(.none)
        scheduler.runUntilIdle()
        XCTAssertEqual(upstream.requested, .max(3))
    }

    func test_aLengthOfNothingIsNoLimitAndAnEndlessOneGivesTheBurst() {
        for (interval, expected) in [(TestTime.Stride.zero, 100), (.seconds(-1), 100), (.nanoseconds(.max), 7)] {
            scheduler.advance(by: .seconds(1))
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            (0..<100).publisher.rateLimit(7, per: interval, scheduler: scheduler).subscribe(subscriber)
            scheduler.advance(by: .seconds(1000))
            XCTAssertEqual(subscriber.values.count, expected)
            subscriber.cancel()
        }
    }

    func test_numbersMayBeHuge() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        (0..<1000).publisher.rateLimit(.max, per: .nanoseconds(1), scheduler: scheduler).subscribe(subscriber)
        scheduler.runUntilIdle()
        XCTAssertEqual(subscriber.values.count, 1000)
    }

    func test_intervalsLieBetweenValues() {
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited, clock: scheduler)
        upstream.interval(.seconds(2), scheduler: scheduler).subscribe(subscriber)
        XCTAssertEqual(upstream.requested, .max(1))
        scheduler.advance(by: .seconds(5))
        upstream.send(1)
        XCTAssertEqual(upstream.outstanding, .none)
        scheduler.advance(by: .seconds(2))
        XCTAssertEqual(upstream.outstanding, .max(1))
        XCTAssertEqual(moments(subscriber), [5000])
    }

    func test_cancelWhileAnAlarmIsSetLeavesNothing() {
        let upstream = TestPublisher<Int, Never>(serving: [1, 2, 3])
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        upstream.interval(.seconds(2), scheduler: scheduler).subscribe(subscriber)
        subscriber.cancel()
        scheduler.runUntilIdle()
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(upstream.cancelCount, 1)
    }
}
