import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class CachedTests: XCTestCase {
    private let scheduler = TestScheduler()
    private let upstream = TestPublisher<Int, TestFailure>()

    private func join(_ publisher: some Publisher<Int, TestFailure>) -> TestSubscriber<Int, TestFailure> {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        publisher.subscribe(subscriber)
        return subscriber
    }

    func test_oneRunServesWhoComesWhileItGoesOnAndForAWhileAfter() {
        let cached = upstream.cached(for: .seconds(60), scheduler: scheduler)
        let early = join(cached)
        upstream.send(1)
        let middle = join(cached)
        upstream.send(2)
        upstream.finish()
        scheduler.advance(by: .seconds(59))
        let late = join(cached)
        for subscriber in [early, middle, late] {
            XCTAssertEqual(subscriber.values, [1, 2])
            XCTAssertTrue(subscriber.hasFinished)
        }
        XCTAssertEqual(upstream.subscriptionCount, 1)
        scheduler.advance(by: .seconds(1))
        let next = join(cached)
        XCTAssertEqual(upstream.subscriptionCount, 2)
        XCTAssertEqual(next.values, [])
    }

    func test_aFailureIsNotKept() {
        let cached = upstream.cached(for: .seconds(60), scheduler: scheduler)
        let subscribers = [join(cached), join(cached)]
        upstream.fail(.first)
        XCTAssertEqual(subscribers.map(\.failure), [.first, .first])
        XCTAssertNil(join(cached).failure)
        XCTAssertEqual(upstream.subscriptionCount, 2)
    }

    func test_aRunWithTooManyValuesIsNotJoined() {
        let cached = upstream.cached(for: .seconds(60), limit: 2, scheduler: scheduler)
        let early = join(cached)
        for value in 1...3 { upstream.send(value) }
        let late = join(cached)
        XCTAssertEqual(upstream.subscriptionCount, 2)
        XCTAssertEqual(early.values, [1, 2, 3])
        XCTAssertEqual(late.values, [])
        upstream.send(4)
        XCTAssertEqual(late.values, [4])
    }

    func test_aRunWithAsManyValuesAsAllowedIsJoined() {
        let cached = upstream.cached(for: .seconds(60), limit: 2, scheduler: scheduler)
        _ = join(cached)
        for value in 1...2 { upstream.send(value) }
        XCTAssertEqual(join(cached).values, [1, 2])
        XCTAssertEqual(upstream.subscriptionCount, 1)
    }

    func test_deliversAFinishedRunAsItIsRequested() {
        for values in [[], [1], [1, 2, 3]] {
            let upstream = TestPublisher<Int, TestFailure>()
            let cached = upstream.cached(for: .seconds(60), scheduler: scheduler)
            _ = join(cached)
            for value in values { upstream.send(value) }
            upstream.finish()
            let late = TestSubscriber<Int, TestFailure>.checked()
            cached.subscribe(late)
            for count in 0..<values.count {
                XCTAssertEqual(late.values, Array(values.prefix(count)))
                late.request(.max(1))
            }
            XCTAssertEqual(late.values, values)
            XCTAssertTrue(late.hasFinished)
            XCTAssertEqual(upstream.subscriptionCount, 1)
        }
    }

    func test_keepsNothingOfARunThatHasFinishedButItsValues() {
        let before = Tracked.count
        var cached: (any Cancellable)?
        do {
            let kept = Deferred { Just(Tracked()) }.cached(for: .seconds(60), limit: 0, scheduler: scheduler)
            _ = kept.sink { _ in }
            XCTAssertEqual(Tracked.count, before, "more values than are kept")
            cached = AnyCancellable { _ = kept }
        }
        withExtendedLifetime(cached) {}
    }

    func test_aRunWithTooManyValuesThatAllHaveLeftIsNotJoined() {
        let cached = upstream.cached(for: .seconds(60), limit: 1, scheduler: scheduler)
        let first = join(cached)
        for value in 1...2 { upstream.send(value) }
        first.cancel()
        let second = join(cached)
        upstream.send(3)
        XCTAssertEqual(second.values, [3])
        XCTAssertEqual(upstream.subscriptionCount, 2)
    }

    func test_aRunThatAllHaveLeftIsCancelledAndBegunAnew() {
        let cached = upstream.cached(for: .seconds(60), scheduler: scheduler)
        let first = join(cached)
        upstream.send(1)
        first.cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
        let second = join(cached)
        XCTAssertEqual(second.values, [])
        XCTAssertEqual(upstream.subscriptionCount, 2)
    }

    func test_requestsOfUpstreamWhatTheForemostHasRequested() {
        let cached = upstream.cached(for: .seconds(60), scheduler: scheduler)
        let slow = TestSubscriber<Int, TestFailure>.checked(.first(1))
        cached.subscribe(slow)
        XCTAssertEqual(upstream.requested, .max(1))
        cached.subscribe(TestSubscriber<Int, TestFailure>.checked(.first(3)))
        XCTAssertEqual(upstream.requested, .max(3))
    }

    func test_twoWhoComeAtOnceShareARun() {
        for _ in 0..<200 {
            let upstream = Attempts { Just(1) }
            let cached = upstream.cached(for: .seconds(1000), scheduler: ImmediateScheduler.shared)
            let subscribers = (0..<2).map { _ in TestSubscriber<Int, Never>.checked(.unlimited) }
            for subscriber in subscribers { cached.subscribe(subscriber) }
            XCTAssertTrue(subscribers.allSatisfy { $0.values == [1] })
        }
    }

    func test_oneRunServesTwoSubscribersWhoComeAtOnce() {
        // Whoever reads the clock second finds that the other's run has begun and finished meanwhile.
        let clock = InterruptedScheduler()
        var runs = 0
        let price = Deferred {
            runs += 1
            return Just(runs)
        }
        .cached(for: .seconds(60), scheduler: clock)
        var received: [Int] = []
        for expected in 1...2 {
            clock.interrupt = { _ = price.sink { received.append($0) } }
            _ = price.sink { received.append($0) }
            XCTAssertEqual(runs, expected, "the first run, or its renewal")
            clock.time.advance(by: .seconds(60))
        }
        XCTAssertEqual(received, [1, 1, 2, 2])
    }

    /// Does something else, once, when its clock is read.
    private final class InterruptedScheduler: Scheduler {
        typealias SchedulerTimeType = TestTime
        typealias SchedulerOptions = TestScheduler.SchedulerOptions

        let time = TestScheduler()
        nonisolated(unsafe) var interrupt: (() -> Void)?

        var now: TestTime {
            let work = interrupt
            interrupt = nil
            defer { work?() }
            return time.now
        }

        var minimumTolerance: TestTime.Stride { time.minimumTolerance }

        func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) { action() }

        func schedule(
            after date: TestTime, tolerance: TestTime.Stride, options: SchedulerOptions?, _ action: @escaping () -> Void
        ) {
            action()
        }

        func schedule(
            after date: TestTime, interval: TestTime.Stride, tolerance: TestTime.Stride, options: SchedulerOptions?,
            _ action: @escaping () -> Void
        ) -> any Cancellable {
            AnyCancellable {}
        }
    }
}
