import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class RetryByPolicyTests: XCTestCase {
    private let scheduler = TestScheduler()
    private let upstream = TestPublisher<Int, TestFailure>()
    private let backoff = RetryPolicy.exponential(initial: .seconds(1), jitter: .none, retries: 3)

    func test_triesAgainAfterTheDelaysOfThePolicyAndFailsWithTheLastFailure() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited, clock: scheduler)
        upstream.retry(backoff, scheduler: scheduler).subscribe(subscriber)
        for value in 1...4 {
            XCTAssertEqual(upstream.subscriptionCount, value)
            upstream.send(value)
            upstream.fail(value < 4 ? .first : .second)
            scheduler.advance(by: .seconds(1 << (value - 1)))
        }
        XCTAssertEqual(subscriber.values, [1, 2, 3, 4])
        XCTAssertEqual(subscriber.failure, .second)
        XCTAssertEqual(upstream.subscriptionCount, 4)
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_isNotSubscribedToBeforeThePauseIsOver() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.retry(backoff, scheduler: scheduler).subscribe(subscriber)
        upstream.fail(.first)
        scheduler.advance(by: .milliseconds(999))
        XCTAssertEqual(upstream.subscriptionCount, 1)
        scheduler.advance(by: .milliseconds(1))
        XCTAssertEqual(upstream.subscriptionCount, 2)
    }

    func test_requestsOfTheNextAttemptWhatWasNotServedAndWhatWasRequestedInThePause() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(3))
        upstream.retry(backoff, scheduler: scheduler).subscribe(subscriber)
        upstream.send(1)
        upstream.fail(.first)
        subscriber.request(.max(4))
        scheduler.advance(by: 1)
        XCTAssertEqual(upstream.calls, [.request(.max(3)), .request(.max(6))])
    }

    func test_cancellingInThePauseReleasesEverythingAtOnceAndMakesNoFurtherAttempt() {
        let living = Tracked.count
        var subscriber: TestSubscriber<Int, TestFailure>? = TestSubscriber.checked(.unlimited)
        weak let weakSubscriber = subscriber
        do {
            let tracked = Tracked()
            subscriber.map {
                upstream.retry(backoff, scheduler: scheduler, where: { _ in withExtendedLifetime(tracked) { true } })
                    .subscribe($0)
            }
        }
        upstream.fail(.first)
        subscriber?.cancel()
        subscriber = nil
        XCTAssertNil(weakSubscriber)
        XCTAssertEqual(Tracked.count, living)
        XCTAssertEqual(scheduler.unfinished, [], "the alarm is cancelled")
        scheduler.runUntilIdle()
        XCTAssertEqual(upstream.subscriptionCount, 1)
    }

    func test_whatIsRefusedFailsAtOnce() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.retry(backoff, scheduler: scheduler, where: { $0 == .first }).subscribe(subscriber)
        upstream.fail(.first)
        scheduler.advance(by: 1)
        upstream.fail(.second)
        XCTAssertEqual(subscriber.failure, .second)
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_enoughValuesBeginTheCountAnew() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let policy = RetryPolicy.constant(.seconds(1), retries: 1).resetting(afterValues: 2)
        upstream.retry(policy, scheduler: scheduler).subscribe(subscriber)
        for _ in 0..<5 {
            upstream.send(1)
            upstream.send(2)
            upstream.fail(.first)
            scheduler.advance(by: 1)
        }
        XCTAssertNil(subscriber.completion)
        upstream.send(1)
        upstream.fail(.first)
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_enoughTimeBeginsTheCountAnew() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let policy = RetryPolicy.constant(.seconds(1), retries: 1).resetting(after: .seconds(10))
        upstream.retry(policy, scheduler: scheduler).subscribe(subscriber)
        for _ in 0..<5 {
            scheduler.advance(by: 10)
            upstream.fail(.first)
            scheduler.advance(by: 1)
        }
        XCTAssertNil(subscriber.completion)
        scheduler.advance(by: .milliseconds(9999))
        upstream.fail(.first)
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_reportsEveryRetryAndHowItEnded() {
        let subscriber = TestSubscriber<Int, RetryExhausted<TestFailure>>.checked(.unlimited)
        nonisolated(unsafe) var reported: [String] = []
        upstream.retry(
            backoff, scheduler: scheduler, onRetry: { reported.append("\($0.number) \($0.delay) \($0.failure)") },
            exhausted: { $0 }
        )
        .subscribe(subscriber)
        for _ in 0..<4 {
            upstream.fail(.first)
            scheduler.advance(by: 4)
        }
        XCTAssertEqual(reported, ["1 1.0 seconds first", "2 2.0 seconds first", "3 4.0 seconds first"])
        XCTAssertEqual(
            subscriber.failure, RetryExhausted(reason: .retries, attempts: 4, lastFailure: .first))
        XCTAssertEqual(subscriber.failure?.description, "failed after 4 attempts: first")
    }

    func test_theRandomSourceOfOneSubscriptionIsACopy() {
        let policy = RetryPolicy.exponential(initial: .seconds(1), jitter: .full, retries: 5)
        nonisolated(unsafe) var delays: [[Duration]] = []
        let retried = FailsAtOnce().retry(
            policy, scheduler: ImmediateScheduler.shared, using: SeededGenerator(seed: 7),
            onRetry: { delays[delays.count - 1].append($0.delay) })
        for _ in 0..<2 {
            delays.append([])
            retried.subscribe(TestSubscriber.checked(.unlimited))
        }
        XCTAssertEqual(delays[0].count, 5)
        XCTAssertEqual(delays[0], delays[1])
        XCTAssertEqual(Set(delays[0]).count, 5)
    }

    func test_manyAttemptsThatFailAtOnceAreFlat() {
        for policy in [RetryPolicy.immediate(retries: 100_000), .constant(.seconds(1), retries: 100_000)] {
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            FailsAtOnce().retry(policy, scheduler: ImmediateScheduler.shared).subscribe(subscriber)
            XCTAssertEqual(subscriber.failure, .first)
        }
    }

    func test_aMillionValuesPass() {
        var total = 0
        let cancellable = (1...1_000_000).publisher.setFailureType(to: TestFailure.self)
            .retry(backoff, scheduler: scheduler)
            .sink(receiveCompletion: { _ in }, receiveValue: { total += $0 })
        XCTAssertEqual(total, 500_000_500_000)
        cancellable.cancel()
    }

    func test_noAttemptBeginsLaterThanTheTotalTimeAllows() {
        let time = TestScheduler()
        for (seconds, attempts, end) in [(0, 1, 0), (3, 2, 2), (4, 3, 4), (5, 3, 4)] {
            let time = TestScheduler()
            nonisolated(unsafe) var begun = 0
            let subscriber = TestSubscriber<Int, RetryExhausted<TestFailure>>.checked(.unlimited)
            Deferred { () -> Fail<Int, TestFailure> in
                begun += 1
                return Fail(error: .second)
            }
            .retry(
                .constant(.seconds(2), retries: nil).within(.seconds(seconds)), scheduler: time, exhausted: { $0 }
            )
            .subscribe(subscriber)
            time.advance(by: .seconds(end))
            XCTAssertEqual(begun, attempts)
            XCTAssertEqual(
                subscriber.failure, RetryExhausted(reason: .time, attempts: attempts, lastFailure: .second))
        }
        // A policy that begins anew has all of its time.
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let hands = (0..<3).map { _ in TestPublisher<Int, TestFailure>() }
        nonisolated(unsafe) var next = hands[...]
        Deferred { next.removeFirst() }
            .retry(
                .constant(.seconds(2), retries: nil).within(.seconds(3)).resetting(afterValues: 1), scheduler: time
            )
            .subscribe(subscriber)
        for hand in hands.prefix(2) {
            time.advance(by: .seconds(60))
            hand.send(1)
            hand.fail(.first)
            time.advance(by: .seconds(2))
        }
        XCTAssertNil(subscriber.completion)
        time.advance(by: .seconds(60))
        hands[2].fail(.first)
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_whatEndsTheStreamDownstreamEndsADelay() {
        let time = TestScheduler()
        let end = PassthroughSubject<Void, Never>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        Fail<Int, TestFailure>(error: .first)
            .retry(.constant(.seconds(60), retries: nil), scheduler: time)
            .prefix(untilOutputFrom: end)
            .subscribe(subscriber)
        XCTAssertEqual(time.unfinished.count, 1)
        end.send()
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(time.unfinished, [])
    }
}

/// Attempts that begin and end on several threads.
final class RetryByPolicyConcurrencyTests: XCTestCase {
    func test_attemptsOnAQueueEndOnceWhileAnotherThreadRequestsAndCancels() {
        let queue = DispatchQueue(label: "retries")
        for round in 0..<200 {
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
            let attempts = Attempts { (1...3).publisher.setFailureType(to: TestFailure.self).append(FailsAtOnce()) }
            attempts.retry(.constant(.microseconds(1), retries: 5), scheduler: queue).subscribe(subscriber)
            for _ in 0..<20 { subscriber.request(.max(1)) }
            if round.isMultiple(of: 2) { subscriber.cancel() } else { queue.sync {} }
        }
    }
}
