import Dispatch
import Headgate
import HeadgateCombine
import HeadgateCore
import HeadgateTesting
import TestSupport
import XCTest

final class ParallelTests: XCTestCase {
    func test_ordersResultsOrPublishesThemAsTheyCome() {
        for ordered in [true, false] {
            let scheduler = TestScheduler()
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            (1...6).publisher.parallel(3).run(on: scheduler)
                .flatMap { Just($0).delay(for: .seconds(10 - $0), scheduler: scheduler) }
                .filter { $0 != 4 }
                .map { $0 * 10 }
                .sequential(ordered: ordered)
                .subscribe(subscriber)
            scheduler.runUntilIdle()
            XCTAssertEqual(subscriber.values.sorted(), [10, 20, 30, 50, 60])
            XCTAssertEqual(subscriber.values == subscriber.values.sorted(), ordered)
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_stagesWithoutASchedulerDoTheSame() {
        for ordered in [true, false] {
            let subscriber = TestSubscriber<Int, Never>.checked(.oneByOne)
            (1...6).publisher.parallel(3)
                .filter { $0 != 4 }
                .compactMap { $0 == 2 ? nil : $0 * 10 }
                .map { $0 + 1 }
                .flatMap { [$0, -$0].publisher }
                .map { $0 * 2 }
                .sequential(ordered: ordered)
                .subscribe(subscriber)
            XCTAssertEqual(subscriber.values, [22, -22, 62, -62, 102, -102, 122, -122])
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_continuesOnAnotherScheduler() {
        for ordered in [true, false] {
            let (first, second) = (TestScheduler(), TestScheduler())
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            (1...6).publisher.parallel(3)
                .run(on: first).filter { $0 != 4 }.map { $0 * 10 }
                .run(on: second).compactMap { $0 == 60 ? nil : $0 + 1 }
                .sequential(ordered: ordered)
                .subscribe(subscriber)
            XCTAssertEqual(subscriber.values, [])
            first.runUntilIdle()
            XCTAssertEqual(subscriber.values, [])
            while !subscriber.hasFinished {
                second.runUntilIdle()
                first.runUntilIdle()
            }
            XCTAssertEqual(subscriber.values, [11, 21, 31, 51])
        }
    }

    func test_doesNothingThatNobodyWaitsForAnyMore() {
        for ordered in [true, false] {
            let scheduler = TestScheduler()
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            var calls = 0
            (1...6).publisher.parallel(3).run(on: scheduler)
                .map { value -> Int in
                    calls += 1
                    return value
                }
                .sequential(ordered: ordered)
                .subscribe(subscriber)
            subscriber.cancel()
            scheduler.runUntilIdle()
            XCTAssertEqual(calls, 0)
            XCTAssertEqual(subscriber.values, [])
        }
    }

    func test_releasesWhatItHasDelivered() {
        let before = Tracked.count
        let scheduler = TestScheduler()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        (1...6).publisher.parallel(3).map { _ in Tracked() }.run(on: scheduler).map { _ in 1 }
            .sequential(ordered: true)
            .subscribe(subscriber)
        scheduler.runUntilIdle()
        XCTAssertEqual(subscriber.values, [1, 1, 1, 1, 1, 1])
        XCTAssertEqual(Tracked.count, before)
    }

    func test_otherWorkOfTheSchedulerHasItsTurn() {
        let scheduler = TestScheduler()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        var seen: [Int] = []
        (0..<40).publisher.parallel(1).run(on: scheduler).map { $0 }.sequential(ordered: true).subscribe(subscriber)
        func look() {
            seen.append(subscriber.values.count)
            if !subscriber.hasFinished { scheduler.schedule { look() } }
        }
        scheduler.schedule { look() }
        scheduler.runUntilIdle()
        XCTAssertEqual(seen, [16, 32, 40])
        XCTAssertEqual(subscriber.values, Array(0..<40))
    }

    /// Runs the first action later, and all others at once.
    private final class HastyScheduler: Scheduler, @unchecked Sendable {
        private(set) var first: (() -> Void)?

        var now: TestTime { .zero }

        var minimumTolerance: TestTime.Stride { .zero }

        func schedule(options: Never?, _ action: @escaping () -> Void) {
            if first == nil { first = action } else { action() }
        }

        func schedule(
            after date: TestTime, tolerance: TestTime.Stride, options: Never?, _ action: @escaping () -> Void
        ) {
            action()
        }

        func schedule(
            after date: TestTime, interval: TestTime.Stride, tolerance: TestTime.Stride, options: Never?,
            _ action: @escaping () -> Void
        ) -> any Cancellable {
            AnyCancellable {}
        }
    }

    func test_aSchedulerThatRunsEverythingAtOnceTakesNoStack() {
        func check<S: Scheduler>(
            _ makeScheduler: () -> S, rails: Int, _ demand: DemandScript, begin: (S) -> Void = { _ in }
        ) {
            for ordered in [true, false] {
                let scheduler = makeScheduler()
                let subscriber = TestSubscriber<Int, Never>.checked(demand)
                nonisolated(unsafe) let depth = StackDepth()
                (0..<20_000).publisher.parallel(rails).run(on: scheduler)
                    .map { value in
                        depth.note()
                        return value
                    }
                    .sequential(ordered: ordered)
                    .subscribe(subscriber)
                begin(scheduler)
                XCTAssertTrue(subscriber.values == Array(0..<20_000), "\(subscriber.values.count)")
                XCTAssertTrue(subscriber.hasFinished)
                XCTAssertLessThan(depth.spread, 16 << 10)
            }
        }
        check({ ImmediateScheduler.shared }, rails: 1, .unlimited)
        check({ ImmediateScheduler.shared }, rails: 4, .oneByOne)
        check({ HastyScheduler() }, rails: 1, .unlimited) { $0.first?() }
    }

    func test_aCancellationEndsAJobThatWaitsForItsTurn() {
        let before = Tracked.count
        let scheduler = TestScheduler()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        let calls = Guarded(0)
        (0..<40).publisher.map { _ in Tracked() }.parallel(1).run(on: scheduler)
            .map { _ in calls.withLock { $0 += 1 } }
            .map { 1 }
            .sequential(ordered: true)
            .subscribe(subscriber)
        scheduler.schedule { subscriber.cancel() }
        scheduler.runUntilIdle()
        XCTAssertEqual(calls.withLock { $0 }, 16)
        XCTAssertEqual(Tracked.count, before)
    }

    func test_aFailureFollowsTheResultsOfTheValuesBeforeIt() {
        for ordered in [true, false] {
            let scheduler = TestScheduler()
            let upstream = TestPublisher<Int, TestFailure>()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            upstream.parallel(3).run(on: scheduler).map { $0 }.sequential(ordered: ordered).subscribe(subscriber)
            upstream.send(1)
            upstream.send(2)
            upstream.send(completion: .failure(.first))
            XCTAssertNil(subscriber.completion)
            scheduler.runUntilIdle()
            XCTAssertEqual(subscriber.values, [1, 2])
            XCTAssertEqual(subscriber.completion, .failure(.first))
        }
    }

    func test_aResultThatWaitsForDemandOccupiesItsRail() {
        let scheduler = TestScheduler()
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        upstream.parallel(3).run(on: scheduler).map { $0 }.sequential(ordered: false).subscribe(subscriber)
        for number in 1...10 {
            upstream.send(number)
            scheduler.runUntilIdle()
        }
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(upstream.requested, .max(4))
        subscriber.request(.max(3))
        XCTAssertEqual(subscriber.values, [1, 2, 3, 4])
        XCTAssertEqual(upstream.requested, .max(7))
        subscriber.cancel()
    }

    func test_aLateRequestDeliversWhatHasWaitedAndNoMore() {
        for ordered in [true, false] {
            let scheduler = TestScheduler()
            // The jobs work whenever a value is requested or delivered, so that there is always more.
            var isRequesting = false
            let work = {
                if !isRequesting { return }
                isRequesting = false
                scheduler.runUntilIdle()
                isRequesting = true
            }
            let subscriber = TestSubscriber<Int, Never>.checked(.first(1)) { subscriber, value in
                if value == 1000 { return subscriber.cancel() }
                work()
            }
            (1...).publisher.handleEvents(receiveOutput: { _ in work() })
                .parallel(3).run(on: scheduler).map { $0 }.sequential(ordered: ordered).subscribe(subscriber)
            scheduler.runUntilIdle()
            XCTAssertEqual(subscriber.values, [1])
            isRequesting = true
            subscriber.request(.unlimited)
            isRequesting = false
            XCTAssertLessThanOrEqual(subscriber.values.count, 7)
            scheduler.runUntilIdle()
            XCTAssertGreaterThanOrEqual(subscriber.values.count, 997)
        }
    }

    func test_requestsNoMoreThanThereAreRails() {
        let scheduler = TestScheduler()
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        upstream.parallel(3).run(on: scheduler).compactMap { $0 }.sequential(ordered: false).subscribe(subscriber)
        for number in 1...10 { upstream.send(number) }
        XCTAssertEqual(upstream.requested, .max(3))
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertEqual(upstream.requested, .max(6))
    }

    func test_aHotSourceLosesOnlyWhatComesWhileAllRailsAreOccupied() {
        for ordered in [true, false] {
            let scheduler = TestScheduler()
            let upstream = TestPublisher<Int, Never>()
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            upstream.parallel(3).run(on: scheduler).map { $0 }.sequential(ordered: ordered).subscribe(subscriber)
            for first in [0, 5, 10] {
                for number in first..<(first + 5) { upstream.send(number) }
                scheduler.runUntilIdle()
            }
            XCTAssertEqual(subscriber.values, [0, 1, 2, 5, 6, 7, 10, 11, 12])
            XCTAssertEqual(upstream.lost, [3, 4, 8, 9, 13, 14])
            subscriber.cancel()
        }
    }

    func test_twoStreamsOnOneSchedulerTakeTurns() {
        let scheduler = TestScheduler()
        var turns: [(stream: Int, count: Int)] = []
        let subscribers = (0..<2).map { stream in
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            (0..<40).publisher.parallel(1).run(on: scheduler)
                .map { value in
                    if turns.last?.stream != stream { turns.append((stream, 0)) }
                    turns[turns.count - 1].count += 1
                    return value
                }
                .sequential(ordered: true)
                .subscribe(subscriber)
            return subscriber
        }
        scheduler.runUntilIdle()
        XCTAssertEqual(turns.map(\.stream), [0, 1, 0, 1, 0, 1])
        XCTAssertEqual(turns.map(\.count), [16, 16, 16, 16, 8, 8])
        for subscriber in subscribers { XCTAssertEqual(subscriber.values, Array(0..<40)) }
    }

    func test_aSuspendedQueueHoldsWhatTheRailsHaveTaken() {
        for isCancelled in [false, true] {
            let queue = DispatchQueue(label: "parallel.suspended")
            let upstream = TestPublisher<Int, Never>()
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            let calls = Guarded(0)
            queue.suspend()
            upstream.parallel(3).run(on: queue)
                .map { value in
                    calls.withLock { $0 += 1 }
                    return value
                }
                .sequential(ordered: true)
                .subscribe(subscriber)
            for number in 1...5 { upstream.send(number) }
            XCTAssertEqual(subscriber.values, [])
            XCTAssertEqual(upstream.lost, [4, 5])
            if isCancelled { subscriber.cancel() }
            queue.resume()
            queue.sync {}
            XCTAssertEqual(subscriber.values, isCancelled ? [] : [1, 2, 3])
            XCTAssertEqual(calls.withLock { $0 }, isCancelled ? 0 : 3)
            XCTAssertEqual(upstream.requested, isCancelled ? .max(3) : .max(6))
        }
    }
}

final class ParallelConcurrencyTests: XCTestCase {
    func test_twoStreamsShareASerialQueue() {
        let queue = DispatchQueue(label: "parallel.shared")
        let done = expectation(description: "finished")
        done.expectedFulfillmentCount = 2
        let recorders = [DemandScript.unlimited, .oneByOne].map { TestSubscriber<Int, Never>.checked($0) }
        for recorder in recorders {
            (0..<2000).publisher.parallel(4).run(on: queue).map { $0 }.sequential(ordered: true)
                .handleEvents(receiveCompletion: { _ in done.fulfill() })
                .subscribe(recorder)
        }
        wait(for: [done], timeout: 60)
        queue.sync {}
        for recorder in recorders { XCTAssertEqual(recorder.values, Array(0..<2000)) }
    }

    func test_losesNothingOnAConcurrentQueue() {
        let queue = DispatchQueue(label: "parallel", attributes: .concurrent)
        let done = expectation(description: "finished")
        let recorder = TestSubscriber<Int, Never>.checked(.unlimited)
        (0..<2000).publisher.parallel(4).run(on: queue).map { $0 }.sequential(ordered: true)
            .handleEvents(receiveCompletion: { _ in done.fulfill() })
            .subscribe(recorder)
        wait(for: [done], timeout: 120)
        XCTAssertEqual(recorder.values, Array(0..<2000))
    }

    /// Jobs end and begin all the time, when values come on their own.
    func test_losesNothingThatArrivesWhileJobsEnd() {
        for ordered in [true, false] {
            let queue = DispatchQueue(label: "parallel", attributes: .concurrent)
            let done = expectation(description: "finished")
            let subject = PassthroughSubject<Int, Never>()
            let recorder = TestSubscriber<Int, Never>.checked(.unlimited)
            subject.buffer(size: .max, prefetch: .byRequest, whenFull: .dropNewest)
                .parallel(3).run(on: queue).map { $0 }.sequential(ordered: ordered)
                .handleEvents(receiveCompletion: { _ in done.fulfill() })
                .subscribe(recorder)
            DispatchQueue.concurrentPerform(iterations: 2) { half in
                for number in 0..<2000 { subject.send(2 * number + half) }
            }
            subject.send(completion: .finished)
            wait(for: [done], timeout: 120)
            XCTAssertEqual(recorder.values.sorted(), Array(0..<4000))
            if ordered {
                XCTAssertEqual(recorder.values.filter { $0 % 2 == 0 }, Array(stride(from: 0, to: 4000, by: 2)))
            }
        }
    }

    func test_aCancellationMeetsJobs() {
        let queue = DispatchQueue(label: "parallel", attributes: .concurrent)
        for _ in 0..<100 {
            let recorder = TestSubscriber<Int, Never>.checked(.unlimited)
            (0..<100_000).publisher.parallel(3).run(on: queue).map { $0 }.sequential(ordered: true)
                .subscribe(recorder)
            queue.async { recorder.cancel() }
            queue.sync(flags: .barrier) {}
            XCTAssertFalse(recorder.hasFinished)
        }
    }
}
