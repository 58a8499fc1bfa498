import Headgate
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

/// What several consumers have heard.
private final class Heard: Sendable {
    let values = Mutex<[[Int]]>([[], [], []])

    func note(_ value: Int, by consumer: Int) { values.withLock { $0[consumer].append(value) } }

    var all: [[Int]] { values.withLock { $0 } }
}

/// Many tasks that consume one publisher.
final class ConsumersTests: XCTestCase {
    private let executor = TestExecutor()
    private let heard = Heard()

    private func start(_ consumer: @escaping @Sendable (Heard) async -> Void) {
        _ = executor.adopt { Task(executorPreference: executor) { [heard] in await consumer(heard) } }
        executor.run()
    }

    func test_everyLoopIsASubscriptionAndHearsEverything() {
        let subject = PassthroughSubject<Int, Never>()
        let values = subject.values
        for consumer in 0..<3 {
            start { heard in for await value in values { heard.note(value, by: consumer) } }
        }
        (1...4).forEach { subject.send($0) }
        subject.send(completion: .finished)
        executor.run()
        XCTAssertEqual(heard.all, Array(repeating: [1, 2, 3, 4], count: 3))
    }

    func test_loopsOverASharedPublisherHaveOneUpstream() {
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.share()
        for consumer in 0..<3 {
            start { heard in for await value in shared.values { heard.note(value, by: consumer) } }
        }
        (1...4).forEach { upstream.send($0) }
        upstream.finish()
        executor.run()
        XCTAssertEqual(upstream.subscriptionCount, 1)
        XCTAssertEqual(heard.all, Array(repeating: [1, 2, 3, 4], count: 3))
    }

    func test_copiesOfAnIteratorDivideTheValues() {
        let subject = PassthroughSubject<Int, Never>()
        let iterator = Handed(subject.values.makeAsyncIterator())
        for consumer in 0..<3 {
            start { heard in
                var iterator = iterator.value
                while let value = await iterator.next() {
                    heard.note(value, by: consumer)
                    await Task.yield()
                }
            }
        }
        for value in 1...9 {
            subject.send(value)
            executor.run()
        }
        subject.send(completion: .finished)
        executor.run()
        XCTAssertEqual(heard.all.flatMap { $0 }.sorted(), Array(1...9), "each value is heard by one")
        XCTAssertEqual(heard.all.filter { $0.isEmpty }.count, 0, "each consumer hears some")
        XCTAssertEqual(executor.count, 0)
    }

    func test_theSlowestReaderOfAChannelHoldsTheSenderBack() {
        let channel = Channel<Int, Never>(capacity: 1)
        let slow = TestSubscriber<Int, Never>.checked()
        channel.subscribe(slow)
        start { heard in await channel.forEach { heard.note($0, by: 0) } }
        start { heard in
            for value in 1...5 { if (try? await channel.send(value)) == .sent { heard.note(value, by: 1) } }
        }
        XCTAssertEqual(heard.all[0], [1])
        slow.request(.max(2))
        executor.run()
        XCTAssertEqual(heard.all[0], [1, 2, 3])
        XCTAssertEqual(slow.values, [1, 2])
        slow.request(.unlimited)
        executor.run()
        XCTAssertEqual(heard.all[1], [1, 2, 3, 4, 5])
        XCTAssertEqual(slow.values, [1, 2, 3, 4, 5])
        channel.send(completion: .finished)
        executor.run()
        XCTAssertEqual(executor.count, 0)
    }
}

/// An iterator that may be copied to several tasks.
private struct Handed<Value>: @unchecked Sendable {
    // The iterator takes turns by itself.
    let value: Value

    init(_ value: Value) { self.value = value }
}
