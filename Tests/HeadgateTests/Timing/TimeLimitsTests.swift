import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class TimeLimitsTests: XCTestCase {
    private enum Late: Error, Equatable {
        case limit(StreamTimeout)
        case upstream
    }

    private let scheduler = TestScheduler()
    private let upstream = TestPublisher<Int, Late>()
    private let subscriber = TestSubscriber<Int, Late>.checked(.unlimited)

    private func limited(
        first: TestTime.Stride? = nil, between: TestTime.Stride? = nil, total: TestTime.Stride? = nil
    ) -> some Publisher<Int, Late> {
        upstream.timeout(first: first, between: between, total: total, scheduler: scheduler) { .limit($0) }
    }

    func test_failsWhenTheFirstValueIsLateAndCancelsUpstream() {
        limited(first: 2).subscribe(subscriber)
        scheduler.advance(by: .milliseconds(1999))
        XCTAssertNil(subscriber.completion)
        scheduler.advance(by: .milliseconds(1))
        XCTAssertEqual(subscriber.failure, .limit(.first))
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_theLimitOfTheFirstValueDoesNotHoldForOthers() {
        limited(first: 2).subscribe(subscriber)
        scheduler.advance(by: 1)
        upstream.send(1)
        scheduler.advance(by: 100)
        upstream.send(2)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertNil(subscriber.completion)
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_theLimitBetweenValuesCountsFromEachAndNotFromTheSubscription() {
        limited(between: 2).subscribe(subscriber)
        scheduler.advance(by: 100)
        for value in 1...5 {
            upstream.send(value)
            scheduler.advance(by: .milliseconds(1999))
        }
        XCTAssertNil(subscriber.completion)
        scheduler.advance(by: .milliseconds(1))
        XCTAssertEqual(subscriber.values, [1, 2, 3, 4, 5])
        XCTAssertEqual(subscriber.failure, .limit(.between))
    }

    func test_theTotalEndsALivelyStream() {
        limited(first: 1, between: 1, total: 3).subscribe(subscriber)
        for value in 1...5 {
            upstream.send(value)
            scheduler.advance(by: .milliseconds(900))
        }
        XCTAssertEqual(subscriber.failure, .limit(.total))
        XCTAssertEqual(subscriber.values, [1, 2, 3, 4])
    }

    func test_aShortLimitBetweenValuesHoldsThoughTheAlarmOfTheFirstIsFarAway() {
        limited(first: 1000, between: 1, total: 2000).subscribe(subscriber)
        upstream.send(1)
        scheduler.advance(by: 1)
        XCTAssertEqual(subscriber.failure, .limit(.between))
    }

    func test_setsNoAlarmForEachValue() {
        limited(first: 1, between: 1, total: 1000).subscribe(subscriber)
        for value in 1...1000 { upstream.send(value) }
        XCTAssertEqual(scheduler.scheduledCount, 2)
        XCTAssertEqual(subscriber.values.count, 1000, "and values do not wait for the scheduler")
    }

    func test_setsOneAlarmAtATimeForTheLimitThatIsReachedNext() {
        limited(first: 5, between: 2, total: 100).subscribe(subscriber)
        XCTAssertEqual(scheduler.unfinished.map(\.date), [TestTime(nanoseconds: 5_000_000_000)])
        scheduler.advance(by: 1)
        upstream.send(1)
        XCTAssertEqual(scheduler.unfinished.map(\.date), [TestTime(nanoseconds: 3_000_000_000)])
        scheduler.advance(by: 1)
        upstream.send(2)
        scheduler.advance(by: 1)
        XCTAssertEqual(scheduler.unfinished.map(\.date), [TestTime(nanoseconds: 4_000_000_000)])
        scheduler.advance(by: .milliseconds(999))
        XCTAssertNil(subscriber.completion)
        scheduler.advance(by: .milliseconds(1))
        XCTAssertEqual(subscriber.failure, .limit(.between))
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_theLimitsBeginWithTheSubscriptionThoughUpstreamSendsItsOwnLate() {
        let upstream = TestPublisher<Int, Late>(sendsSubscription: false)
        upstream.timeout(first: .seconds(1), scheduler: scheduler) { .limit($0) }.subscribe(subscriber)
        scheduler.advance(by: 1)
        XCTAssertEqual(subscriber.failure, .limit(.first))
        upstream.sendSubscription()
        XCTAssertEqual(upstream.calls, [.cancel])
    }

    func test_forwardsDemandThatArrivedBeforeUpstreamsSubscription() {
        let upstream = TestPublisher<Int, Late>(sendsSubscription: false)
        let subscriber = TestSubscriber<Int, Late>.checked(.first(3))
        upstream.timeout(first: .seconds(1), scheduler: scheduler) { .limit($0) }.subscribe(subscriber)
        upstream.sendSubscription()
        XCTAssertEqual(upstream.calls, [.request(.max(3))])
    }

    func test_limitsOfDecadesNeverEnd() {
        limited(first: 2_000_000_000, between: 2_000_000_000, total: 2_000_000_000).subscribe(subscriber)
        upstream.send(1)
        scheduler.advance(by: 1_000_000)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertNil(subscriber.completion)
        XCTAssertEqual(scheduler.scheduledCount, 0)
    }

    func test_passesDemandTheEndAndFailuresOn() {
        let subscriber = TestSubscriber<Int, Late>.checked(.first(2))
        limited(first: 1, between: 1).subscribe(subscriber)
        XCTAssertEqual(upstream.calls, [.request(.max(2))])
        upstream.send(1)
        upstream.fail(.upstream)
        XCTAssertEqual(subscriber.failure, .upstream)
        scheduler.runUntilIdle()
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_withoutLimitsNothingIsScheduled() {
        limited().subscribe(subscriber)
        upstream.send(1)
        upstream.finish()
        XCTAssertEqual(scheduler.scheduledCount, 0)
        XCTAssertEqual(subscriber.values, [1])
    }

    func test_limitsOfZeroAndBelowPassAtOnce() {
        for limit in [TestTime.Stride.zero, -5] {
            let subscriber = TestSubscriber<Int, Late>.checked(.unlimited)
            limited(first: limit).subscribe(subscriber)
            scheduler.runDue()
            XCTAssertEqual(subscriber.failure, .limit(.first))
        }
    }

    func test_aSchedulerThatWaitsForNothingEndsTheStreamAtOnce() {
        upstream.timeout(first: .seconds(1), scheduler: ImmediateScheduler.shared) { .limit($0) }.subscribe(subscriber)
        XCTAssertEqual(subscriber.failure, .limit(.first))
    }

    func test_goesOnWithTheFallbackAndWhatIsLeftOfTheDemand() {
        let other = TestPublisher<Int, Late>()
        let subscriber = TestSubscriber<Int, Late>.checked(.first(5))
        var reported: [StreamTimeout] = []
        upstream.timeout(
            between: .seconds(1), scheduler: scheduler,
            fallback: {
                reported.append($0)
                return other
            }
        )
        .subscribe(subscriber)
        upstream.send(1)
        scheduler.advance(by: 1)
        XCTAssertEqual(reported, [.between])
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(other.calls, [.request(.max(4))])
        other.send(2)
        scheduler.advance(by: 100)
        other.finish()
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_theFallbackDoesNotCatchFailuresOfUpstream() {
        upstream.timeout(first: .seconds(1), scheduler: scheduler, fallback: { _ in Empty() }).subscribe(subscriber)
        upstream.fail(.upstream)
        XCTAssertEqual(subscriber.failure, .upstream)
    }

    func test_releasesEverythingAtTheEndAndOnCancelThoughAnAlarmIsSet() {
        for cancels in [false, true] {
            let living = Tracked.count
            var subscriber: TestSubscriber<Int, Late>? = TestSubscriber.checked(.unlimited)
            do {
                let tracked = Tracked()
                subscriber.map {
                    upstream.timeout(first: .seconds(1000), scheduler: scheduler) { timeout in
                        withExtendedLifetime(tracked) { .limit(timeout) }
                    }
                    .subscribe($0)
                }
            }
            if cancels { subscriber?.cancel() } else { upstream.finish() }
            subscriber = nil
            XCTAssertEqual(Tracked.count, living)
        }
        XCTAssertEqual(scheduler.unfinished, [])
        scheduler.runUntilIdle()
    }

    func test_aMillionValuesPass() {
        var count = 0
        let cancellable = (1...1_000_000).publisher.setFailureType(to: Late.self)
            .timeout(first: .seconds(1), between: .seconds(1), scheduler: scheduler) { .limit($0) }
            .sink(receiveCompletion: { _ in }, receiveValue: { _ in count += 1 })
        XCTAssertEqual(count, 1_000_000)
        cancellable.cancel()
    }
}

/// Alarms and values that meet.
final class TimeLimitsConcurrencyTests: XCTestCase {
    func test_valuesAndAnAlarmThatMeetAreReceivedOneByOne() {
        let queue = DispatchQueue(label: "alarms")
        for _ in 0..<200 {
            let subject = PassthroughSubject<Int, StreamTimeout>()
            let subscriber = TestSubscriber<Int, StreamTimeout>.checked(.unlimited)
            subject.timeout(total: .microseconds(50), scheduler: queue) { $0 }.subscribe(subscriber)
            for value in 0..<50 { subject.send(value) }
            waitUntil { subscriber.failure == .total }
            XCTAssertEqual(subscriber.values, Array(0..<subscriber.values.count))
        }
    }
}
