import Dispatch
import Headgate
import HeadgateCore
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

/// A clock of which nothing is known but that tasks can sleep on it.
private struct ForeignClock: Clock {
    let real = SuspendingClock()
    let slept = Slept()

    final class Slept: Sendable {
        let count = Atomic(0)
    }

    var now: SuspendingClock.Instant { real.now }
    var minimumResolution: Duration { real.minimumResolution }

    func sleep(until deadline: SuspendingClock.Instant, tolerance: Duration?) async throws {
        slept.count.add(1, ordering: .relaxed)
        try await real.sleep(until: deadline, tolerance: tolerance)
    }
}

final class ByClockTests: XCTestCase {
    private let time = TestScheduler()
    private let upstream = TestPublisher<Int, TestFailure>()

    private var clock: any Clock<Swift.Duration> { TestClock(time) }

    private func subscribe(
        _ stream: some Publisher<Int, TestFailure>, _ demand: DemandScript = .unlimited
    ) -> TestSubscriber<Int, TestFailure> {
        let subscriber = TestSubscriber<Int, TestFailure>(demand, clock: time)
        stream.subscribe(subscriber)
        return subscriber
    }

    func test_theTimeIsThatOfTheClock() {
        let delayed = subscribe(upstream.delay(for: .seconds(2), clock: clock))
        upstream.send(1)
        time.advance(by: .seconds(3))
        XCTAssertEqual(delayed.timedValues.map { "\($0.time) \($0.value)" }, ["2s 1"])
        delayed.cancel()
    }

    func test_everyTimedOperatorTakesAnyClock() {
        let subject = PassthroughSubject<Int, Never>()
        nonisolated(unsafe) var received: [String: [String]] = [:]
        var cancellables: [AnyCancellable] = []
        func note<T>(_ name: String, _ stream: some Publisher<T, Never>) {
            stream.sink { [time] in received[name, default: []].append("\(time.now) \($0)") }.store(in: &cancellables)
        }
        note("debounce", subject.debounce(for: .seconds(1), clock: clock))
        note("debounceByValue", subject.debounce(clock: clock) { .seconds($0) })
        note("throttle", subject.throttle(for: .seconds(1), clock: clock, latest: true))
        note("measureInterval", subject.measureInterval(using: clock))
        note("delaySubscription", Just(7).delaySubscription(for: .seconds(2), clock: clock))
        note("rateLimit", (1...3).publisher.rateLimit(1, per: .seconds(2), clock: clock))
        note("interval", (1...2).publisher.interval(.seconds(3), clock: clock))
        note("batch", subject.batch(count: 9, within: .seconds(1), clock: clock))
        note("window", subject.window(within: .seconds(1), clock: clock, unread: .skip).flatMap { $0.count() })
        note("sliding", subject.sliding(within: .seconds(5), every: .seconds(4), limit: 9, clock: clock))
        note("prefix", subject.prefix(duration: .seconds(1), clock: clock))
        note("timeout", subject.timeout(.seconds(3), clock: clock).count())
        note("cached", subject.cached(for: .seconds(1), clock: clock))
        note("share", subject.share(replay: 1, for: .seconds(1), clock: clock))
        note("expiry", subject.onBackpressureBuffer(limit: 1, whenFull: .dropNewest, expiry: .seconds(1), clock: clock))
        note(
            "groupBy",
            subject.groupBy(limit: 2, idleTimeout: .seconds(1), clock: clock, whenFull: .drop) { $0 }
                .flatMap { $0.count() })
        subject.send(1)
        time.advance(by: .seconds(2))
        subject.send(2)
        time.advance(by: .seconds(10))
        XCTAssertEqual(received["debounce"], ["1s 1", "3s 2"])
        XCTAssertEqual(received["debounceByValue"], ["1s 1", "4s 2"])
        XCTAssertEqual(received["throttle"], ["0s 1", "2s 2"])
        XCTAssertEqual(received["measureInterval"], ["0s 0.0 seconds", "2s 2.0 seconds"])
        XCTAssertEqual(received["delaySubscription"], ["2s 7"])
        XCTAssertEqual(received["rateLimit"], ["0s 1", "2s 2", "4s 3"])
        XCTAssertEqual(received["interval"], ["0s 1", "3s 2"])
        XCTAssertEqual(received["batch"], ["1s [1]", "3s [2]"])
        XCTAssertEqual(received["window"], ["1s 1", "3s 1"])
        XCTAssertEqual(received["sliding"], ["4s [1, 2]", "8s []"])
        XCTAssertEqual(received["prefix"], ["0s 1"])
        XCTAssertEqual(received["timeout"], ["5s 2"])
        for name in ["cached", "share", "expiry"] { XCTAssertEqual(received[name], ["0s 1", "2s 2"], name) }
        XCTAssertEqual(received["groupBy"], ["1s 1", "3s 1"])
    }

    func test_retriesAndBreakersTakeAClock() {
        let attempts = Atomic(0)
        let failing = Deferred {
            attempts.add(1, ordering: .relaxed)
            return Fail<Int, TestFailure>(error: .first)
        }
        let subscriber = subscribe(failing.retry(.constant(.seconds(1), retries: 2), clock: clock))
        time.advance(by: .seconds(5))
        XCTAssertEqual(attempts.load(ordering: .relaxed), 3)
        XCTAssertEqual(subscriber.failure, .first)
        let breaker = CircuitBreaker(CircuitBreakerPolicy(failures: 1, openFor: .seconds(5)), clock: clock)
        _ = subscribe(
            upstream.mapError { $0 as any Error }.circuitBreaker(breaker).mapError { _ in TestFailure.second })
        upstream.fail(.first)
        XCTAssertEqual(breaker.state, .open)
        let stalls = Guarded<[StreamStall]>([])
        let silent = PassthroughSubject<Int, Never>()
            .onStall(for: .seconds(1), clock: clock) { stall in stalls.withLock { $0.append(stall) } }
            .sink { _ in }
        time.advance(by: .seconds(3))
        XCTAssertEqual(stalls.withLock { $0 }, [.noValues])
        silent.cancel()
        XCTAssertEqual(time.unfinished, [])
    }

    func test_withoutAClockTheTimeIsReal() async throws {
        let start = ContinuousClock.now
        var values: [Int] = []
        for await value in [1].publisher.delay(for: .milliseconds(20)).values { values.append(value) }
        XCTAssertEqual(values, [1])
        XCTAssertGreaterThanOrEqual(start.duration(to: .now), .milliseconds(20))
        let attempts = Atomic(0)
        let answer = Deferred {
            attempts.add(1, ordering: .relaxed).newValue < 3
                ? Result<Int, TestFailure>.Publisher(.first) : .init(7)
        }
        let first = try await answer.retry(.exponential(initial: .milliseconds(1), retries: 5)).firstValue
        XCTAssertEqual(first, 7)
    }

    func test_aTaskSleepsOnAClockOfWhichNothingIsKnown() async {
        let clock = ForeignClock()
        let value = await Just(1).delay(for: .milliseconds(10), clock: clock).firstValue
        XCTAssertEqual(value, 1)
        XCTAssertEqual(clock.slept.count.load(ordering: .relaxed), 1)
        let idle = PassthroughSubject<Int, Never>().timeout(.seconds(3600), clock: clock).sink { _ in }
        idle.cancel()
    }

    func test_theSchedulerRepeatsWorkUntilItIsCancelled() {
        let scheduler = ClockScheduler(clock)
        nonisolated(unsafe) var ticks: [TestTime] = []
        let repetition = scheduler.schedule(
            after: scheduler.now.advanced(by: .seconds(1)), interval: .seconds(2)
        ) { [time] in ticks.append(time.now) }
        time.advance(by: .seconds(6))
        XCTAssertEqual(ticks, [1, 3, 5].map { TestTime(nanoseconds: $0 * 1_000_000_000) })
        repetition.cancel()
        XCTAssertEqual(time.unfinished, [])
    }

    func test_aClockHasTheTimeOfItsScheduler() async throws {
        let clock = SchedulerClock(time)
        let start = clock.now
        time.advance(by: .seconds(3))
        XCTAssertEqual(start.duration(to: clock.now), .seconds(3))
        let sleep = Task { try await clock.sleep(for: .seconds(2)) }
        while time.unfinished.isEmpty { await Task.yield() }
        time.advance(by: .seconds(2))
        try await sleep.value
        let cancelled = Task { try await clock.sleep(for: .seconds(2)) }
        while time.unfinished.isEmpty { await Task.yield() }
        cancelled.cancel()
        await XCTAssertThrowsErrorAsync(try await cancelled.value)
        XCTAssertEqual(time.unfinished, [])
        // There and back.
        let delayed = subscribe(upstream.delay(for: .seconds(1), clock: clock))
        upstream.send(1)
        time.advance(by: .seconds(1))
        XCTAssertEqual(delayed.values, [1])
        delayed.cancel()
    }

    private func XCTAssertThrowsErrorAsync(_ expression: @autoclosure () async throws -> Void) async {
        do {
            try await expression()
            XCTFail("does not throw")
        } catch { XCTAssertTrue(error is CancellationError) }
    }
}

final class CountedTimeTests: XCTestCase {
    private let time = TestScheduler()
    private let upstream = TestPublisher<Int, TestFailure>()

    private func subscribe(
        first: TestTime.Stride? = 2, between: TestTime.Stride? = 2, total: TestTime.Stride? = nil,
        _ demand: DemandScript
    ) -> TestSubscriber<Int, TestFailure> {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(demand)
        upstream.timeout(
            first: first, between: between, total: total, counting: .whileRequested, scheduler: time
        ) { $0 == .first ? .first : .second }
        .subscribe(subscriber)
        return subscriber
    }

    func test_whatASlowSubscriberTakesDoesNotCount() {
        let subscriber = subscribe(.none)
        time.advance(by: .seconds(60))
        for value in 1...3 {
            subscriber.request(.max(1))
            time.advance(by: .seconds(1))
            upstream.send(value)
            XCTAssertLessThanOrEqual(time.unfinished.count, 1, "one alarm at most")
            time.advance(by: .seconds(60))
        }
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertNil(subscriber.completion)
        XCTAssertEqual(time.unfinished, [])
        subscriber.request(.max(1))
        time.advance(by: .seconds(2))
        XCTAssertEqual(subscriber.failure, .second)
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_theFirstValueIsAwaitedFromTheFirstRequestOn() {
        let subscriber = subscribe(between: nil, .none)
        time.advance(by: .seconds(60))
        subscriber.request(.max(1))
        time.advance(by: 1.9)
        XCTAssertNil(subscriber.completion)
        time.advance(by: 0.1)
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_anotherRequestDoesNotProlongTheTime() {
        let subscriber = subscribe(.none)
        subscriber.request(.max(1))
        time.advance(by: .seconds(1))
        subscriber.request(.max(1))
        time.advance(by: .seconds(1))
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_withDemandLeftTheTimeBeginsWithEachValue() {
        let subscriber = subscribe(.unlimited)
        for value in 1...3 {
            time.advance(by: 1.5)
            upstream.send(value)
        }
        XCTAssertNil(subscriber.completion)
        time.advance(by: .seconds(2))
        XCTAssertEqual(subscriber.failure, .second)
    }

    func test_theTotalCountsAllTime() {
        let subscriber = subscribe(total: 5, .none)
        time.advance(by: .seconds(1))
        subscriber.request(.max(1))
        upstream.send(1)
        time.advance(by: .seconds(3))
        XCTAssertNil(subscriber.completion)
        time.advance(by: .seconds(1))
        XCTAssertEqual(subscriber.failure, .second)
    }

    func test_theFallbackCountsAsWell() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        upstream.timeout(
            between: 1, counting: .whileRequested, scheduler: time,
            fallback: { _ in
                Just(9).setFailureType(to: TestFailure.self)
            }
        )
        .subscribe(subscriber)
        upstream.send(1)
        time.advance(by: .seconds(60))
        XCTAssertEqual(subscriber.values, [1])
        subscriber.request(.max(1))
        time.advance(by: .seconds(1))
        XCTAssertEqual(subscriber.values, [1, 9])
    }
}
