import Headgate
import HeadgateCore
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

/// A sequence whose iterator is not `Sendable`, and that does what it is told.
private struct Numbers: AsyncSequence {
    enum Manner { case counts, throwsAt(Int), ignoresCancellation }

    typealias Element = Int
    typealias Failure = TestFailure

    let calls: Calls
    var manner = Manner.counts
    var end = Int.max

    final class Calls: Sendable {
        let next = Atomic(0)
        let iterators = Atomic(0)
        let waiting = Guarded<CheckedContinuation<Void, Never>?>(nil)
    }

    final class AsyncIterator: AsyncIteratorProtocol {
        let sequence: Numbers
        var position = 0

        init(_ sequence: Numbers) { self.sequence = sequence }

        func next() async throws(TestFailure) -> Int? { try await next(isolation: nil) }

        func next(isolation actor: isolated (any Actor)?) async throws(TestFailure) -> Int? {
            sequence.calls.next.add(1, ordering: .relaxed)
            position += 1
            switch sequence.manner {
            case .throwsAt(position): throw .second
            case .ignoresCancellation:
                await withCheckedContinuation { task in sequence.calls.waiting.withLock { $0 = task } }
            default: await Task.yield()
            }
            return position > sequence.end ? nil : position
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        calls.iterators.add(1, ordering: .relaxed)
        return AsyncIterator(self)
    }
}

final class AsyncSequencePublisherTests: XCTestCase {
    private let executor = TestExecutor()
    private let calls = Numbers.Calls()

    func test_callsNextOnceForEachValueThatIsRequested() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        executor.adopt { Numbers(calls: calls).publisher.subscribe(subscriber) }
        executor.run()
        XCTAssertEqual(calls.iterators.load(ordering: .relaxed), 0)
        subscriber.request(.max(2))
        executor.run()
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(calls.next.load(ordering: .relaxed), 2)
        subscriber.request(.max(1))
        executor.run()
        XCTAssertEqual(calls.next.load(ordering: .relaxed), 3)
        XCTAssertEqual(calls.iterators.load(ordering: .relaxed), 1)
        subscriber.cancel()
        executor.run()
    }

    func test_finishesAndFailsAsTheSequenceDoes() {
        for (numbers, failure) in [
            (Numbers(calls: calls, end: 2), nil), (Numbers(calls: calls, manner: .throwsAt(3)), TestFailure.second),
        ] {
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            executor.adopt { numbers.publisher.subscribe(subscriber) }
            executor.run()
            XCTAssertEqual(subscriber.values, [1, 2])
            XCTAssertEqual(subscriber.failure, failure)
            XCTAssertNotNil(subscriber.completion)
        }
    }

    func test_failsAtTheFirstValue() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        executor.adopt { Numbers(calls: calls, manner: .throwsAt(1)).publisher.subscribe(subscriber) }
        executor.run()
        XCTAssertEqual(subscriber.failure, .second)
    }

    func test_isCancelledAtEveryPointAtWhichItCanWait() {
        for steps in 0...10 {
            let executor = TestExecutor()
            let living = Tracked.count
            let subscriber = TestSubscriber<Tracked, TestFailure>.checked(.first(3))
            executor.adopt { Numbers(calls: calls).publisher.map { _ in Tracked() }.subscribe(subscriber) }
            for _ in 0..<steps { executor.step() }
            let received = subscriber.values.count
            subscriber.cancel()
            executor.run()
            XCTAssertEqual(subscriber.values.count, received, "after \(steps) steps")
            XCTAssertEqual(executor.count, 0)
            XCTAssertEqual(Tracked.count, living + received)
        }
    }

    func test_releasesTheSubscriberThoughTheSequenceIgnoresCancellation() {
        let living = Tracked.count
        var subscriber: TestSubscriber<Int, TestFailure>?
        do {
            let witness = Tracked()
            subscriber = TestSubscriber.checked(.first(1)) { _, _ in _ = witness }
        }
        executor.adopt {
            Numbers(calls: calls, manner: .ignoresCancellation).publisher.subscribe(subscriber!)
        }
        executor.run()
        subscriber?.cancel()
        subscriber = nil
        XCTAssertEqual(Tracked.count, living)
        calls.waiting.withLock { $0.take() }?.resume()
        executor.run()
        XCTAssertEqual(executor.count, 0)
    }

    func test_isNotifiedOfSeveralSubscribersSeparately() {
        let numbers = Numbers(calls: calls, end: 2).publisher
        for _ in 1...2 {
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            executor.adopt { numbers.subscribe(subscriber) }
            executor.run()
            XCTAssertEqual(subscriber.values, [1, 2])
        }
        XCTAssertEqual(calls.iterators.load(ordering: .relaxed), 2)
    }

    func test_keepsTheTypeOfAStreamThatCannotFail() async {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        (1...3).forEach { continuation.yield($0) }
        continuation.finish()
        var values: [Int] = []
        for await value in stream.publisher.map({ $0 * 2 }).values { values.append(value) }
        XCTAssertEqual(values, [2, 4, 6])
    }
}
