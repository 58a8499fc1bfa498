import Dispatch
import Headgate
import HeadgateCore
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

private enum Trace { @TaskLocal static var id = "none" }

/// Work that goes on when the test says so.
private final class Gates: Sendable {
    private let waiting = Guarded<[Int: CheckedContinuation<Void, Never>]>([:])
    let cancelled = Guarded<[Int]>([])

    var open: [Int] { waiting.withLock { $0.keys.sorted() } }

    /// Waits until it is released, whether or not the task is cancelled.
    func pass(_ number: Int) async {
        await withCheckedContinuation { task in waiting.withLock { $0[number] = task } }
        if Task.isCancelled { cancelled.withLock { $0.append(number) } }
    }

    func release(_ number: Int) { waiting.withLock { $0.removeValue(forKey: number) }?.resume() }

    func releaseAll() { open.forEach(release) }
}

/// Completes when nobody but its subscriber retains its subscription.
private struct Forgetful: Publisher {
    typealias Output = Int
    typealias Failure = Never

    private final class Owned: Subscription {
        let onRelease: () -> Void

        init(_ onRelease: @escaping () -> Void) { self.onRelease = onRelease }

        deinit { onRelease() }

        func request(_ demand: Subscribers.Demand) {}

        func cancel() {}
    }

    let onRelease: () -> Void

    func receive(subscriber: some Subscriber<Int, Never>) {
        subscriber.receive(subscription: Owned(onRelease))
        subscriber.receive(completion: .finished)
    }
}

final class AsyncMapTests: XCTestCase {
    private let executor = TestExecutor()
    private let gates = Gates()
    private let upstream = TestPublisher<Int, TestFailure>()

    func test_requestsAsMuchAsCanBeAtWorkWithTheFirstDemand() {
        for limit in [1, 2, 8] {
            for demand in [1, 2, 20] {
                let upstream = TestPublisher<Int, Never>()
                let subscriber = TestSubscriber<Int, Never>.checked()
                executor.adopt { upstream.asyncMap(maxConcurrent: limit) { $0 }.subscribe(subscriber) }
                executor.run()
                XCTAssertEqual(upstream.calls, [], "nothing before it")
                subscriber.request(.max(demand))
                executor.run()
                XCTAssertEqual(upstream.calls, [.request(.max(limit))], "\(limit) at work, \(demand) requested")
                subscriber.cancel()
            }
        }
    }

    func test_keepsTheLimitAtWorkWhateverIsRequestedAtATime() {
        for isOrdered in [true, false] {
            let upstream = TestPublisher<Int, Never>(serving: Array(1...20))
            let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
            executor.adopt {
                upstream.asyncMap(maxConcurrent: 4, ordered: isOrdered) { [gates] in
                    await gates.pass($0); return $0
                }.subscribe(subscriber)
            }
            executor.run()
            XCTAssertEqual(gates.open, [1, 2, 3, 4])
            for value in 1...4 {
                gates.release(value)
                executor.run()
            }
            XCTAssertEqual(subscriber.values, [1])
            XCTAssertEqual(gates.open, [5], "three results wait for demand, and count")
            for value in 2...4 {
                subscriber.request(.max(1))
                XCTAssertEqual(subscriber.values, Array(1...value), "delivered by the request")
                executor.run()
                XCTAssertEqual(gates.open, Array(5...(value + 4)))
            }
            subscriber.cancel()
            gates.releaseAll()
            executor.run()
            XCTAssertEqual(executor.count, 0)
        }
    }

    func test_workAheadNeedsPlaceOnlyForTheLimit() {
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        let begun = Atomic(0)
        executor.adopt {
            (1...100).publisher.asyncMap(maxConcurrent: 5) { value in
                begun.add(1, ordering: .relaxed)
                return value
            }.subscribe(subscriber)
        }
        executor.run()
        XCTAssertEqual(begun.load(ordering: .relaxed), 6)
        for count in 2...95 {
            subscriber.request(.max(1))
            executor.run()
            XCTAssertEqual(begun.load(ordering: .relaxed), count + 5)
        }
        subscriber.request(.unlimited)
        executor.run()
        XCTAssertEqual(subscriber.values, Array(1...100))
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(executor.count, 0)
    }

    func test_theCompletionWaitsForResultsThatWaitForDemand() {
        for ending in [Subscribers.Completion<TestFailure>.finished, .failure(.second)] {
            let upstream = TestPublisher<Int, TestFailure>()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
            executor.adopt { upstream.asyncMap(maxConcurrent: 3) { $0 }.subscribe(subscriber) }
            (1...3).forEach { upstream.send($0) }
            upstream.send(completion: ending)
            executor.run()
            XCTAssertEqual(subscriber.values, [1])
            XCTAssertNil(subscriber.completion)
            subscriber.request(.max(1))
            XCTAssertNil(subscriber.completion)
            subscriber.request(.max(1))
            XCTAssertEqual(subscriber.values, [1, 2, 3])
            XCTAssertEqual(subscriber.completion, ending)
            executor.run()
            XCTAssertEqual(executor.count, 0)
        }
    }

    func test_aFailureComesAfterTheResultsThatWaitForDemandAndCancelsTheOthersAtOnce() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        executor.adopt {
            upstream.asyncMap(maxConcurrent: 5) { [gates] value async throws(TestFailure) in
                await gates.pass(value)
                if value == 4 { throw .second }
                return value
            }.subscribe(subscriber)
        }
        (1...5).forEach { upstream.send($0) }
        executor.run()
        for value in [1, 2, 3, 4] {
            gates.release(value)
            executor.run()
        }
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertNil(subscriber.completion)
        XCTAssertEqual(upstream.cancelCount, 1)
        gates.release(5)
        executor.run()
        XCTAssertEqual(gates.cancelled.withLock { $0 }, [5])
        XCTAssertEqual(executor.count, 0)
        subscriber.request(.max(1))
        XCTAssertNil(subscriber.completion)
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertEqual(subscriber.failure, .second)
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_resultsThatNobodyCanRequestAreReleased() {
        let living = Tracked.count
        var values = 0
        executor.adopt {
            (1...3).publisher.map { _ in Tracked() }.asyncMap(maxConcurrent: 2) { $0 }.subscribe(
                AnySubscriber(
                    receiveSubscription: { $0.request(.max(1)) },
                    receiveValue: { _ in
                        values += 1
                        return .none
                    }))
        }
        executor.run()
        XCTAssertEqual(values, 1)
        XCTAssertEqual(executor.count, 0)
        XCTAssertEqual(Tracked.count, living)
    }

    func test_requestsAnotherWhenAResultHasBeenDelivered() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(3))
        executor.adopt {
            upstream.asyncMap { [gates] in
                await gates.pass($0); return $0 * 10
            }.subscribe(subscriber)
        }
        XCTAssertEqual(upstream.requested, .max(1))
        for value in 1...3 {
            upstream.send(value)
            executor.run()
            XCTAssertEqual(upstream.requested, .max(value))
            gates.release(value)
            executor.run()
            XCTAssertEqual(subscriber.values, (1...value).map { $0 * 10 })
        }
        XCTAssertEqual(upstream.requested, .max(4), "one ahead")
        upstream.finish()
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_keepsTheOrderUnlessConfiguredOtherwise() {
        for isOrdered in [true, false] {
            let upstream = TestPublisher<Int, TestFailure>()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            executor.adopt {
                upstream.asyncMap(maxConcurrent: 3, ordered: isOrdered) { [gates] in
                    await gates.pass($0); return $0
                }
                .subscribe(subscriber)
            }
            XCTAssertEqual(upstream.requested, .max(3))
            (1...3).forEach { upstream.send($0) }
            executor.run()
            XCTAssertEqual(gates.open, [1, 2, 3])
            for value in [3, 1, 2] {
                gates.release(value)
                executor.run()
            }
            XCTAssertEqual(subscriber.values, isOrdered ? [1, 2, 3] : [3, 1, 2])
            upstream.finish()
            XCTAssertTrue(subscriber.hasFinished)
            XCTAssertEqual(executor.run(), isOrdered ? 3 + 1 : 3 + 1, "all tasks end")
        }
    }

    func test_releasesUpstreamsSubscriptionWithoutALock() {
        let subscriber = TestSubscriber<Int, Never>.checked()
        var returns: [Bool] = []
        Forgetful {
            let hasReturned = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                subscriber.request(1)
                hasReturned.signal()
            }
            returns.append(hasReturned.wait(timeout: .now() + 10) == .success)
        }
        .asyncMap { $0 }.subscribe(subscriber)
        XCTAssertEqual(returns, [true])
        XCTAssertEqual(subscriber.completion, .finished)
    }

    func test_theEndWaitsForWhatIsAtWork() {
        for ending in [Subscribers.Completion<TestFailure>.finished, .failure(.second)] {
            let upstream = TestPublisher<Int, TestFailure>()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            executor.adopt {
                upstream.asyncMap(maxConcurrent: 2) { [gates] in
                    await gates.pass($0); return $0
                }.subscribe(subscriber)
            }
            upstream.send(1)
            upstream.send(2)
            upstream.send(completion: ending)
            executor.run()
            XCTAssertNil(subscriber.completion)
            gates.releaseAll()
            executor.run()
            XCTAssertEqual(subscriber.values, [1, 2])
            XCTAssertEqual(subscriber.completion, ending)
            XCTAssertEqual(executor.count, 0)
        }
    }

    func test_theFirstFailureEndsTheStreamAndCancelsWhatIsAtWork() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        executor.adopt {
            upstream.asyncMap(maxConcurrent: 3) { [gates] value async throws(TestFailure) in
                await gates.pass(value)
                if value == 2 { throw .second }
                return value
            }.subscribe(subscriber)
        }
        (1...3).forEach { upstream.send($0) }
        executor.run()
        gates.release(2)
        executor.run()
        XCTAssertEqual(subscriber.values, [])
        XCTAssertEqual(subscriber.failure, .second)
        XCTAssertEqual(upstream.cancelCount, 1)
        gates.releaseAll()
        executor.run()
        XCTAssertEqual(gates.cancelled.withLock { $0.sorted() }, [1, 3])
        XCTAssertEqual(executor.count, 0)
    }

    func test_aClosureThatThrowsAtTheFirstOrTheLastValueEndsTheStreamThere() {
        for (limit, position) in [(1, 1), (1, 4), (3, 1), (3, 4)] {
            let upstream = TestPublisher<Int, TestFailure>(serving: [1, 2, 3, 4])
            let living = Tracked.count
            do {
                let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
                let witness = Tracked()
                executor.adopt {
                    upstream.asyncMap(maxConcurrent: limit) { [witness] value async throws(TestFailure) in
                        _ = witness
                        if value == position { throw .second }
                        return value
                    }.subscribe(subscriber)
                }
                executor.run()
                XCTAssertEqual(subscriber.failure, .second)
                if limit == 1 { XCTAssertEqual(subscriber.values, Array(1..<position)) }
                XCTAssertFalse(upstream.isConnected)
                XCTAssertEqual(executor.count, 0)
            }
            XCTAssertEqual(Tracked.count, living)
        }
    }

    func test_dropsWhatIsNilAndRequestsAnother() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        executor.adopt {
            upstream.asyncCompactMap { $0.isMultiple(of: 2) ? $0 : nil }.subscribe(subscriber)
        }
        upstream.send(1)
        executor.run()
        XCTAssertEqual(upstream.requested, .max(2))
        upstream.send(2)
        executor.run()
        XCTAssertEqual(subscriber.values, [2])
        XCTAssertEqual(upstream.requested, .max(3), "one ahead")
    }

    func test_filters() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        executor.adopt {
            (1...10).publisher.asyncFilter(maxConcurrent: 4) { $0.isMultiple(of: 3) }.subscribe(subscriber)
        }
        executor.run()
        XCTAssertEqual(subscriber.values, [3, 6, 9])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_flattensPublishersThatAreMadeByWaiting() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        executor.adopt {
            (1...3).publisher.setFailureType(to: TestFailure.self)
                .asyncFlatMap { value in
                    await Task.yield()
                    return Array(repeating: value, count: value).publisher.setFailureType(to: TestFailure.self)
                }
                .subscribe(subscriber)
        }
        executor.run()
        XCTAssertEqual(subscriber.values, [1, 2, 2, 3, 3, 3])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_noMorePublishersAreMadeThanMayBeActive() {
        let made = Atomic(0)
        let inner = (0..<9).map { _ in TestPublisher<Int, TestFailure>() }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        executor.adopt {
            (0..<9).publisher.setFailureType(to: TestFailure.self)
                .asyncFlatMap(maxConcurrent: 2) { value in
                    made.add(1, ordering: .relaxed)
                    return inner[value]
                }
                .subscribe(subscriber)
        }
        executor.run()
        XCTAssertEqual(made.load(ordering: .relaxed), 2)
        inner[0].finish()
        executor.run()
        XCTAssertEqual(made.load(ordering: .relaxed), 3)
        subscriber.cancel()
        executor.run()
    }

    func test_keepsTheTypesOfFailures() {
        func check<P: Publisher, F: Error>(_: P, _: F.Type) where P.Failure == F {}
        @Sendable func throwing(_ value: Int) async throws -> Int { value }
        @Sendable func typed(_ value: Int) async throws(TestFailure) -> Int { value }
        check([1].publisher.asyncMap { $0 }, Never.self)
        check([1].publisher.asyncMap(typed), TestFailure.self)
        check([1].publisher.asyncMap { try await throwing($0) }, (any Error).self)
        check(upstream.asyncMap { $0 }, TestFailure.self)
        check(upstream.asyncMap(typed), TestFailure.self)
        check(upstream.asyncMap { try await throwing($0) }, (any Error).self)
        check(upstream.asyncFilter { try await throwing($0) > 0 }, (any Error).self)
        check(upstream.asyncCompactMap { $0 as Int? }, TestFailure.self)
    }

    func test_isCancelledAtEveryPointAtWhichItCanWait() {
        for limit in [1, 3] {
            for steps in 0...24 {
                let executor = TestExecutor()
                let living = Tracked.count
                let begun = Atomic(0)
                let ended = Atomic(0)
                let subscriber = TestSubscriber<Int, Never>.checked(.first(5))
                executor.adopt {
                    (1...).publisher.map { (Tracked(), $0) }.asyncMap(maxConcurrent: limit) { value in
                        begun.add(1, ordering: .relaxed)
                        await Task.yield()
                        ended.add(1, ordering: .relaxed)
                        return value.1
                    }.subscribe(subscriber)
                }
                for _ in 0..<steps { executor.step() }
                let received = subscriber.values
                subscriber.cancel()
                executor.run()
                XCTAssertEqual(subscriber.values, received, "after \(steps) steps")
                XCTAssertEqual(received, Array((1...6).prefix(received.count)))
                XCTAssertEqual(begun.load(ordering: .relaxed), ended.load(ordering: .relaxed))
                XCTAssertEqual(executor.count, 0)
                XCTAssertEqual(Tracked.count, living, "after \(steps) steps")
            }
        }
    }

    func test_cancelInsideADeliveryStopsWhatIsAtWork() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited) { subscriber, value in
            if value == 2 { subscriber.cancel() }
        }
        executor.adopt { (1...).publisher.asyncMap(maxConcurrent: 4) { $0 }.subscribe(subscriber) }
        executor.run()
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(executor.count, 0)
    }

    func test_aLateRequestDeliversWhatHasWaitedAndNoMore() {
        for limit in [2, 8] {
            for isOrdered in [true, false] {
                // The tasks work whenever a value is requested or delivered, so that there is always more.
                var isRequesting = false
                let work = { [executor] in if isRequesting { executor.run() } }
                let subscriber = TestSubscriber<Int, Never>.checked { subscriber, value in
                    if value == 1000 { return subscriber.cancel() }
                    work()
                }
                let upstream = (1...).publisher.handleEvents(receiveOutput: { _ in work() })
                executor.adopt {
                    upstream.asyncMap(maxConcurrent: limit, ordered: isOrdered) { $0 }.subscribe(subscriber)
                }
                subscriber.request(.max(1))
                executor.run()
                XCTAssertEqual(subscriber.values, [1])
                isRequesting = true
                subscriber.request(.unlimited)
                isRequesting = false
                XCTAssertLessThanOrEqual(subscriber.values.count, 1 + 2 * limit)
                executor.run()
                XCTAssertGreaterThanOrEqual(subscriber.values.count, 1000 - limit)
                if isOrdered { XCTAssertEqual(subscriber.values, Array(1...1000)) }
            }
        }
    }

    /// The source sends whether or not it is asked, the subscriber requests late and little, and both do so inside
    /// deliveries and inside the work, too.
    func test_aHotSourceLosesOnlyWhatWasNotRequested() {
        for seed in 0..<UInt64(Scale.reduced(5_000)) {
            var random = SeededGenerator(seed: seed)
            let limit = Int.random(in: 1...4, using: &random)
            let isOrdered = Bool.random(using: &random)
            let upstream = TestPublisher<Int, Never>()
            var next = 0
            var open = 40
            func act(_ subscriber: TestSubscriber<Int, Never>) {
                open -= 1
                if open < 0 { return }
                switch Int.random(in: 0..<4, using: &random) {
                case 0: subscriber.request(.max(Int.random(in: 1...3, using: &random)))
                case 1: executor.step()
                default:
                    for _ in 0..<Int.random(in: 1...3, using: &random) {
                        next += 1
                        upstream.send(next)
                    }
                }
            }
            let subscriber = TestSubscriber<Int, Never>.checked { subscriber, _ in act(subscriber) }
            executor.adopt {
                upstream.asyncMap(maxConcurrent: limit, ordered: isOrdered) { value in
                    if value % 3 == 0 { await Task.yield() }
                    return value
                }
                .subscribe(subscriber)
            }
            while open > 0 { act(subscriber) }
            subscriber.request(.unlimited)
            executor.run()
            upstream.finish()
            XCTAssertTrue(subscriber.hasFinished, "seed \(seed)")
            let lost = Set(upstream.lost)
            let values = isOrdered ? subscriber.values : subscriber.values.sorted()
            XCTAssertEqual(values, (0..<next).map { $0 + 1 }.filter { !lost.contains($0) }, "seed \(seed)")
            XCTAssertEqual(upstream.requested, .max(values.count + limit), "seed \(seed)")
        }
    }

    func test_requestsFromInsideADeliveryAreFlat() {
        let count = Scale.reduced(100_000)
        var sum = 0
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1)) { subscriber, _ in
            sum += 1
            subscriber.request(.max(1))
        }
        executor.adopt { (1...count).publisher.asyncMap { $0 }.subscribe(subscriber) }
        executor.run()
        XCTAssertEqual(sum, count)
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_closuresHaveTheTaskLocalsOfThePlaceOfSubscription() {
        for limit in [1, 3] {
            let upstream = TestPublisher<Int, Never>()
            let subscriber = TestSubscriber<String, Never>.checked()
            let mapped = upstream.asyncMap(maxConcurrent: limit) { "\(Trace.id) \($0)" }
            executor.adopt { Trace.$id.withValue("subscribed") { mapped.subscribe(subscriber) } }
            Trace.$id.withValue("requested") { subscriber.request(.max(2)) }
            Trace.$id.withValue("sent") {
                for value in 1...2 {
                    upstream.send(value)
                    executor.run()
                }
            }
            XCTAssertEqual(subscriber.values, ["subscribed 1", "subscribed 2"])
        }
    }

    func test_deliversThoughNobodyHoldsTheSubscription() {
        let living = Tracked.count
        var values: [Int] = []
        do {
            let witness = Tracked()
            executor.adopt {
                (1...3).publisher.asyncMap { $0 }.subscribe(
                    AnySubscriber(
                        receiveSubscription: { $0.request(.unlimited) },
                        receiveValue: {
                            _ = witness
                            values.append($0)
                            return .none
                        }))
            }
        }
        executor.run()
        XCTAssertEqual(values, [1, 2, 3])
        XCTAssertEqual(Tracked.count, living)
    }
}

final class AsyncMapConcurrencyTests: XCTestCase {
    func test_aMillionGoThroughInOrder() async {
        let count = Scale.reduced(1_000_000)
        for limit in [1, 8] {
            var expected = 0
            for await value in (0..<count).publisher.asyncMap(maxConcurrent: limit, { $0 + 1 }).values {
                expected += 1
                if value != expected { return XCTFail("\(value) instead of \(expected)") }
            }
            XCTAssertEqual(expected, count)
        }
    }

    /// Calls that all wait until there are as many as are expected.
    private actor Crowd {
        private let size: Int
        private var waiting: [CheckedContinuation<Void, Never>] = []

        init(size: Int) { self.size = size }

        func join() async {
            await withCheckedContinuation { task in
                waiting.append(task)
                if waiting.count < size { return }
                // From the last to the first, the order in which a group finds them most slowly.
                waiting.reversed().forEach { $0.resume() }
            }
        }
    }

    func test_aHundredThousandAreAtWorkAtATime() async {
        let count = Scale.reduced(100_000)
        let crowd = Crowd(size: count)
        let sum = Atomic(0)
        await (1...count).publisher.forEach(maxConcurrent: count) { value in
            await crowd.join()
            sum.add(value, ordering: .relaxed)
        }
        XCTAssertEqual(sum.load(ordering: .relaxed), count * (count + 1) / 2)
    }

    func test_neverMoreAreAtWorkThanAllowedAndNothingIsLost() async {
        let atWork = Atomic(0)
        let most = Atomic(0)
        let count = Scale.reduced(20_000)
        var sum = 0
        let worked = (1...count).publisher.asyncMap(maxConcurrent: 4, ordered: false) { value in
            let now = atWork.add(1, ordering: .sequentiallyConsistent).newValue
            most.max(now, ordering: .sequentiallyConsistent)
            await Task.yield()
            atWork.subtract(1, ordering: .sequentiallyConsistent)
            return value
        }
        for await value in worked.values { sum += value }
        XCTAssertEqual(sum, count * (count + 1) / 2)
        XCTAssertLessThanOrEqual(most.load(ordering: .relaxed), 4)
    }

    /// Of a source that sends whether or not it is asked, while two threads request little at a time.
    func test_aHotSourceLosesOnlyWhatWasNotRequestedByTwoThreads() {
        for round in 0..<Scale.reduced(300) {
            let count = 200
            let upstream = TestPublisher<Int, Never>()
            let done = expectation(description: "finished")
            let subscriber = TestSubscriber<Int, Never>.checked()
            upstream.asyncMap(maxConcurrent: 1 + round % 4, ordered: round % 2 == 0) { value in
                if value % 3 == 0 { await Task.yield() }
                return value
            }
            .handleEvents(receiveCompletion: { _ in done.fulfill() })
            .subscribe(subscriber)
            DispatchQueue.concurrentPerform(iterations: 3) { part in
                if part == 0 {
                    for value in 1...count { upstream.send(value) }
                } else {
                    for _ in 0..<count / 4 { subscriber.request(.max(1)) }
                }
            }
            upstream.finish()
            subscriber.request(.unlimited)
            wait(for: [done], timeout: 60)
            let lost = Set(upstream.lost)
            let values = round % 2 == 0 ? subscriber.values : subscriber.values.sorted()
            XCTAssertEqual(values, (1...count).filter { !lost.contains($0) })
        }
    }

    func test_aHundredThousandThatAreCancelledLeaveNothing() {
        let living = Tracked.count
        for round in 0..<Scale.reduced(100_000) {
            let witness = Tracked()
            let subscriber = TestSubscriber<Int, Never>.checked(.first(3))
            (1...).publisher
                .asyncMap(maxConcurrent: 1 + round % 3) { [witness] value in
                    _ = witness
                    await Task.yield()
                    return value
                }
                .subscribe(subscriber)
            subscriber.cancel()
        }
        XCTAssertTrue(waitUntil(timeout: 60_000) { Tracked.count == living })
    }
}
