import Foundation
import Headgate
import HeadgateTesting
import TestSupport
import XCTest

private actor Shelf {
    var items = 0

    func add() { items += 1 }
}

/// Subscriptions that are started and cancelled leave no task, no continuation and no memory behind.
///
/// Whatever a task holds is counted, so a task that never ends, or a continuation that is never resumed, is seen. All steps
/// run on the thread of the test, and each round is cancelled after another number of them.
final class LeftoverTests: XCTestCase {
    func test_asyncMap() {
        leavesNothing { witness in
            (1...).publisher.asyncMap(maxConcurrent: 2) { [witness] value in
                _ = witness
                await Task.yield()
                return value
            }.sink { _ in }
        }
    }

    func test_asyncFilterAndFlatMap() {
        leavesNothing { witness in
            (1...).publisher
                .asyncFilter { [witness] value in
                    _ = witness
                    await Task.yield()
                    return value.isMultiple(of: 2)
                }
                .asyncFlatMap { value in
                    await Task.yield()
                    return Just(value)
                }
                .sink { _ in }
        }
    }

    func test_publisherOfAnAsyncSequence() {
        leavesNothing { witness in
            let (stream, continuation) = AsyncStream<Tracked>.makeStream()
            continuation.yield(witness)
            return stream.publisher.sink { _ in }
        }
    }

    func test_produce() {
        leavesNothing { witness in
            Publishers.produce(Int.self, failure: Never.self) { [witness] yield throws(CancellationError) in
                while true {
                    _ = witness
                    await Task.yield()
                    try await yield(1)
                }
            }.sink { _ in }
        }
    }

    func test_task() {
        leavesNothing { witness in
            Publishers.task { [witness] in
                _ = witness
                await Task.yield()
                return 1
            }.sink { _ in }
        }
    }

    func test_asynchronousResource() {
        leavesNothing { witness in
            Publishers.resource {
                await Task.yield()
                return witness
            } read: { (resource: inout Tracked) -> Int? in
                await Task.yield()
                return 1
            } close: { _ in
                await Task.yield()
            }.sink { _ in }
        }
    }

    func test_asynchronousUsing() {
        leavesNothing { witness in
            Publishers.using {
                await Task.yield()
                return witness
            } publisher: { _ in
                (1...3).publisher
            } release: { _, _ in
                await Task.yield()
            }.sink { _ in }
        }
    }

    func test_sinkOnAnActor() {
        let shelf = Shelf()
        leavesNothing { witness in
            (1...).publisher.sink(on: shelf) { [witness] shelf, _ in
                _ = witness
                await Task.yield()
                shelf.add()
            }
        }
    }

    func test_receiveOnAnActor() {
        let shelf = Shelf()
        leavesNothing { witness in
            (1...3).publisher.receive(on: shelf).sink { [witness] shelf, _ in
                _ = witness
                shelf.add()
            }
        }
    }

    func test_channel() {
        let channel = StreamChannel<Tracked, Never>(capacity: 1)
        leavesNothing { witness in
            let listener = channel.asyncMap { value in
                await Task.yield()
                return value
            }.sink { _ in }
            _ = channel.trySend(witness)
            return listener
        }
    }

    func test_senderOfAChannel() {
        let channel = StreamChannel<Tracked, Never>(capacity: 0)
        leavesNothingOfTasks { witness in _ = try? await channel.send(witness) }
    }

    func test_forEach() {
        let subject = PassthroughSubject<Int, Never>()
        leavesNothingOfTasks { witness in
            await subject.forEach { _ in _ = witness }
        }
        leavesNothingOfTasks { witness in
            await (1...).publisher.forEach { _ in
                _ = witness
                await Task.yield()
            }
        }
    }

    func test_forEachWithSeveralAtWork() {
        leavesNothingOfTasks { witness in
            await (1...).publisher.forEach(maxConcurrent: 2) { _ in
                _ = witness
                await Task.yield()
            }
        }
    }

    func test_oneValue() {
        let subject = PassthroughSubject<Int, Never>()
        leavesNothingOfTasks { witness in
            _ = await subject.firstValue
            _ = witness
        }
        leavesNothingOfTasks { witness in
            _ = await subject.lastValue
            _ = witness
        }
        leavesNothingOfTasks { witness in
            _ = await subject.collected(upTo: 3)
            _ = witness
        }
    }

    func test_values() {
        let subject = PassthroughSubject<Int, Never>()
        leavesNothingOfTasks { witness in
            for await _ in subject.values { _ = witness }
        }
    }

    private func leavesNothing(
        file: StaticString = #filePath, line: UInt = #line, _ start: (Tracked) -> AnyCancellable
    ) {
        leavesNothing(file: file, line: line) { executor, witness in
            let listener = executor.adopt { start(witness) }
            return listener.cancel
        }
    }

    private func leavesNothingOfTasks(
        file: StaticString = #filePath, line: UInt = #line, _ body: @escaping @Sendable (Tracked) async -> Void
    ) {
        leavesNothing(file: file, line: line) { executor, witness in
            let task = executor.adopt { Task(executorPreference: executor) { await body(witness) } }
            return task.cancel
        }
    }

    /// Starts and cancels a hundred thousand, and counts what is left.
    private func leavesNothing(
        file: StaticString, line: UInt, _ start: (TestExecutor, Tracked) -> () -> Void
    ) {
        let living = Tracked.count
        let executor = TestExecutor()
        let rounds = Scale.reduced(100_000)
        func play(_ rounds: Int) {
            for round in 0..<rounds {
                let cancel = start(executor, Tracked())
                for _ in 0..<(round % 7) { executor.step() }
                cancel()
                executor.run()
            }
        }
        // What is kept for the next round, by the allocator and the runtime, is there after these.
        play(rounds / 4)
        // An object that is left each time would be sixteen bytes at the least, and mostly forty-eight and more.
        let most = 40 * rounds + 256 * 1024
        var grown = Int.max
        // Something else in the process may need memory once, but not each time.
        for _ in 0..<3 where grown >= most {
            let before = residentBytes()
            play(rounds)
            grown = residentBytes() - before
        }
        XCTAssertEqual(Tracked.count, living, file: file, line: line)
        XCTAssertEqual(executor.count, 0, file: file, line: line)
        XCTAssertLessThan(grown, most, "bytes after \(rounds) rounds", file: file, line: line)
    }

    /// How much memory the process has.
    private func residentBytes() -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
