import Headgate
import HeadgateCore
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

private actor Shelf {
    private(set) var count = 0

    func add() async {
        await Task.yield()
        count += 1
    }
}

/// Tasks that wait for a stream are cancelled before each of their steps, and between a value and the step that it brings.
///
/// All steps run on the thread of the test, so every one of these moments is there in every run.
final class CancellationTests: XCTestCase {
    func test_forEach() {
        cancelEverywhere { upstream, received in
            try? await upstream.forEach { _ in
                received.count.add(1, ordering: .relaxed)
                await Task.yield()
            }
        }
    }

    func test_forEachWithSeveralAtWork() {
        for limit in 1...3 {
            cancelEverywhere { upstream, received in
                try? await upstream.forEach(maxConcurrent: limit) { _ in
                    received.count.add(1, ordering: .relaxed)
                    await Task.yield()
                }
            }
        }
    }

    func test_firstValue() {
        cancelEverywhere { upstream, received in
            if let value = try? await upstream.firstValue { note(value, received) }
        }
    }

    func test_lastValue() {
        cancelEverywhere { upstream, received in
            if let value = try? await upstream.lastValue { note(value, received) }
        }
    }

    func test_collected() {
        for limit in [1, 2, .max] {
            cancelEverywhere { upstream, received in
                for value in (try? await upstream.collected(upTo: limit)) ?? [] { note(value, received) }
            }
        }
    }

    func test_values() {
        for buffering in [Publishers.AsyncBuffering.lossless, .onDemand, .bounded(2), .newest(1)] {
            cancelEverywhere { upstream, received in
                do {
                    for try await value in upstream.values(buffering: buffering) {
                        note(value, received)
                        await Task.yield()
                    }
                } catch {}
            }
        }
    }

    func test_valuesOfAsyncMapOfValues() {
        cancelEverywhere { upstream, received in
            let worked = upstream.asyncMap(maxConcurrent: 2) { value in
                await Task.yield()
                return value
            }
            do {
                for try await value in worked.values { note(value, received) }
            } catch {}
        }
    }

    func test_asyncFilterCompactMapAndFlatMap() {
        cancelEverywhere { upstream, received in
            let worked =
                upstream
                .asyncFilter { _ async throws(TestFailure) in
                    await Task.yield()
                    return true
                }
                .asyncCompactMap(maxConcurrent: 2) { value async throws(TestFailure) -> Tracked? in
                    await Task.yield()
                    return value
                }
                .asyncFlatMap { value async throws(TestFailure) in
                    await Task.yield()
                    return Just(value).setFailureType(to: TestFailure.self)
                }
            try? await worked.forEach { note($0, received) }
        }
    }

    func test_publisherOfAnAsyncSequence() {
        cancelEverywhere { upstream, received in
            let again = upstream.values(buffering: .onDemand).publisher
            try? await again.forEach { note($0, received) }
        }
    }

    /// Cancels a task at every moment, and looks whether it ends, lets its upstream go, and leaves nothing.
    private func cancelEverywhere(
        file: StaticString = #filePath, line: UInt = #line,
        _ consume: @escaping @Sendable (TestPublisher<Tracked, TestFailure>, Received) async -> Void
    ) {
        let living = Tracked.count
        // Each way to mix steps and values for a while, then what is left.
        for pattern in 0..<64 {
            for moment in 0...9 {
                let executor = TestExecutor()
                let upstream = TestPublisher<Tracked, TestFailure>()
                let state = Received()
                executor.adopt {
                    state.hold(
                        Task(executorPreference: executor) {
                            await consume(upstream, state)
                            state.hasEnded.store(true, ordering: .relaxed)
                        })
                }
                var sent = 0
                for event in 0..<moment {
                    if pattern >> (event % 6) & 1 == 0 {
                        executor.step()
                    } else if upstream.send(Tracked()) {
                        sent += 1
                    }
                }
                state.cancel()
                executor.run()
                let moment = "pattern \(pattern), after \(moment)"
                XCTAssertTrue(state.hasEnded.load(ordering: .relaxed), moment, file: file, line: line)
                XCTAssertFalse(upstream.isConnected, moment, file: file, line: line)
                XCTAssertEqual(executor.count, 0, moment, file: file, line: line)
                XCTAssertLessThanOrEqual(state.count.load(ordering: .relaxed), sent, moment, file: file, line: line)
                XCTAssertLessThanOrEqual(upstream.cancelCount, 1, moment, file: file, line: line)
            }
        }
        XCTAssertEqual(Tracked.count, living, file: file, line: line)
    }
}

private func note(_ value: Tracked, _ received: Received) {
    _ = value
    received.count.add(1, ordering: .relaxed)
}

/// What a task has done.
private final class Received: Sendable {
    let count = Atomic(0)
    let hasEnded = Atomic(false)
    private let task = Guarded<Task<Void, Never>?>(nil)

    func hold(_ task: Task<Void, Never>) { self.task.withLock { $0 = task } }

    func cancel() { task.withLock { $0.take() }?.cancel() }
}

/// What has become of the values that were sent.
private final class Sent: Sendable {
    let answers = Guarded<[Int: Bool]>([:])
    let ended = Atomic(0)
}

final class ChannelCancellationTests: XCTestCase {
    func test_aSenderIsCancelledAtEveryMomentAndTheOthersKeepTheirOrder() {
        let living = Tracked.count
        for capacity in 0...2 {
            for moment in 0...10 {
                for demandAt in 0...10 {
                    let executor = TestExecutor()
                    let channel = StreamChannel<Int, Never>(capacity: capacity)
                    let subscriber = TestSubscriber<Int, Never>.checked()
                    channel.subscribe(subscriber)
                    let log = Sent()
                    let tasks = (1...4).map { value in
                        Task(executorPreference: executor) {
                            let witness = Tracked()
                            let answer = try? await channel.send(value)
                            log.answers.withLock { $0[value] = answer == .sent }
                            _ = witness
                            log.ended.add(1, ordering: .relaxed)
                        }
                    }
                    for event in 0...10 {
                        if event == moment { tasks[1].cancel() }
                        if event == demandAt { subscriber.request(.unlimited) }
                        executor.step()
                    }
                    executor.run()
                    let sent = log.answers.withLock { $0 }
                    let expected = [1, 2, 3, 4].filter { sent[$0] == true }
                    XCTAssertEqual(subscriber.values, expected, "\(capacity), \(moment), \(demandAt)")
                    XCTAssertEqual(sent.filter { $0.key != 2 && !$0.value }.count, 0)
                    XCTAssertEqual(log.ended.load(ordering: .relaxed), 4)
                    XCTAssertEqual(executor.count, 0)
                }
            }
        }
        XCTAssertEqual(Tracked.count, living)
    }

    func test_aSenderThatWaitsForASubscriberIsCancelledAtEveryMoment() {
        for moment in 0...4 {
            let executor = TestExecutor()
            let channel = StreamChannel<Int, Never>(capacity: 1)
            let log = Sent()
            let task = Task(executorPreference: executor) {
                do { _ = try await channel.send(1) } catch { log.ended.add(1, ordering: .relaxed) }
            }
            for _ in 0..<moment { executor.step() }
            task.cancel()
            executor.run()
            XCTAssertEqual(log.ended.load(ordering: .relaxed), 1, "after \(moment) steps")
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            channel.subscribe(subscriber)
            XCTAssertEqual(subscriber.values, [])
        }
    }
}

final class SinkOnActorCancellationTests: XCTestCase {
    func test_isCancelledAtEveryMoment() {
        let living = Tracked.count
        for pattern in 0..<64 {
            for moment in 0...10 {
                let executor = TestExecutor()
                let upstream = TestPublisher<Tracked, TestFailure>()
                let shelf = Shelf()
                let begun = Atomic(0)
                let finished = Atomic(0)
                let completions = Atomic(0)
                let listener = executor.adopt {
                    upstream.sink(
                        on: shelf,
                        receiveCompletion: { _, _ in completions.add(1, ordering: .relaxed) },
                        receiveValue: { shelf, _ in
                            begun.add(1, ordering: .relaxed)
                            await shelf.add()
                            finished.add(1, ordering: .relaxed)
                        })
                }
                for event in 0..<moment {
                    if pattern >> (event % 6) & 1 == 0 { executor.step() } else { upstream.send(Tracked()) }
                }
                let before = begun.load(ordering: .relaxed)
                listener.cancel()
                executor.run()
                let moment = "pattern \(pattern), after \(moment)"
                XCTAssertEqual(begun.load(ordering: .relaxed), before, moment)
                XCTAssertEqual(finished.load(ordering: .relaxed), before, moment)
                XCTAssertEqual(completions.load(ordering: .relaxed), 0, moment)
                XCTAssertFalse(upstream.isConnected, moment)
                XCTAssertEqual(executor.count, 0, moment)
            }
        }
        XCTAssertEqual(Tracked.count, living)
    }

    func test_receivesInOrderAndThenTheEndStepByStep() {
        for ending in [Subscribers.Completion<TestFailure>.finished, .failure(.first)] {
            let executor = TestExecutor()
            let upstream = TestPublisher<Int, TestFailure>()
            let received = Guarded<[Int]>([])
            let end = Guarded<Subscribers.Completion<TestFailure>?>(nil)
            let shelf = Shelf()
            let listener = executor.adopt {
                upstream.sink(
                    on: shelf, receiveCompletion: { _, completion in end.withLock { $0 = completion } },
                    receiveValue: { _, value in
                        await Task.yield()
                        received.withLock { $0.append(value) }
                    })
            }
            for value in 1...3 { upstream.send(value) }
            upstream.send(completion: ending)
            executor.run()
            XCTAssertEqual(received.withLock { $0 }, [1, 2, 3])
            XCTAssertEqual(end.withLock { $0 }, ending)
            listener.cancel()
        }
    }
}

extension CancellationTests {
    // What a stream has published before its task was cancelled is no result.

    private func isCancelled<Result: Sendable>(
        _ read: @escaping @Sendable (AnyPublisher<Int, any Error>) async throws -> Result
    ) async -> Bool {
        for isEarly in [true, false] {
            let subject = PassthroughSubject<Int, any Error>()
            let publisher = subject.prepend(1, 2).eraseToAnyPublisher()
            let task = Task {
                if isEarly { withUnsafeCurrentTask { $0?.cancel() } }
                do {
                    _ = try await read(publisher)
                    return false
                } catch {
                    return error is CancellationError
                }
            }
            if !isEarly {
                for _ in 1...20 { await Task.yield() }
                task.cancel()
            }
            if await !task.value { return false }
        }
        return true
    }

    func test_aPartialResultIsThrownAway() async {
        let results = await [
            isCancelled { try await $0.lastValue },
            isCancelled { try await $0.collected(upTo: 5) },
            isCancelled { try await $0.dropFirst(2).firstValue },
        ]
        XCTAssertEqual(results, [true, true, true])
    }
}
