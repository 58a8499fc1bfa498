import Headgate
import HeadgateCore
import HeadgateTesting
import TestSupport
import XCTest

/// What several consumers have heard.
private final class Received: Sendable {
    let values = Guarded<[[Int]]>([[], [], []])

    func note(_ value: Int, by consumer: Int) { values.withLock { $0[consumer].append(value) } }

    var all: [[Int]] { values.withLock { $0 } }
}

/// Many tasks that consume one publisher.
final class ConsumersTests: XCTestCase {
    private let executor = TestExecutor()
    private let received = Received()

    private func start(_ consumer: @escaping @Sendable (Received) async -> Void) {
        _ = executor.adopt { Task(executorPreference: executor) { [received] in await consumer(received) } }
        executor.run()
    }

    func test_everyLoopIsASubscriptionAndReceivesEverything() {
        let subject = PassthroughSubject<Int, Never>()
        let values = subject.values
        for consumer in 0..<3 {
            start { received in for await value in values { received.note(value, by: consumer) } }
        }
        (1...4).forEach { subject.send($0) }
        subject.send(completion: .finished)
        executor.run()
        XCTAssertEqual(received.all, Array(repeating: [1, 2, 3, 4], count: 3))
    }

    func test_loopsOverASharedPublisherHaveOneUpstream() {
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.share()
        for consumer in 0..<3 {
            start { received in for await value in shared.values { received.note(value, by: consumer) } }
        }
        (1...4).forEach { upstream.send($0) }
        upstream.finish()
        executor.run()
        XCTAssertEqual(upstream.subscriptionCount, 1)
        XCTAssertEqual(received.all, Array(repeating: [1, 2, 3, 4], count: 3))
    }

    func test_copiesOfAnIteratorDivideTheValues() {
        let subject = PassthroughSubject<Int, Never>()
        let iterator = UncheckedSendable(subject.values.makeAsyncIterator())
        for consumer in 0..<3 {
            start { received in
                var iterator = iterator.value
                while let value = await iterator.next() {
                    received.note(value, by: consumer)
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
        XCTAssertEqual(received.all.flatMap { $0 }.sorted(), Array(1...9), "each value is heard by one")
        XCTAssertEqual(received.all.filter { $0.isEmpty }.count, 0, "each consumer hears some")
        XCTAssertEqual(executor.count, 0)
    }

    func test_theSlowestReaderOfAChannelHoldsTheSenderBack() {
        let channel = StreamChannel<Int, Never>(capacity: 1)
        let slow = TestSubscriber<Int, Never>.checked()
        channel.subscribe(slow)
        start { received in await channel.forEach { received.note($0, by: 0) } }
        start { received in
            for value in 1...5 { if (try? await channel.send(value)) == .sent { received.note(value, by: 1) } }
        }
        XCTAssertEqual(received.all[0], [1])
        slow.request(.max(2))
        executor.run()
        XCTAssertEqual(received.all[0], [1, 2, 3])
        XCTAssertEqual(slow.values, [1, 2])
        slow.request(.unlimited)
        executor.run()
        XCTAssertEqual(received.all[1], [1, 2, 3, 4, 5])
        XCTAssertEqual(slow.values, [1, 2, 3, 4, 5])
        channel.send(completion: .finished)
        executor.run()
        XCTAssertEqual(executor.count, 0)
    }
}

/// An iterator that may be copied to several tasks.
private struct UncheckedSendable<Value>: @unchecked Sendable {
    // The iterator takes turns by itself.
    let value: Value

    init(_ value: Value) { self.value = value }
}
