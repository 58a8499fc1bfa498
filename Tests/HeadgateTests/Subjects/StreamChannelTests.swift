import Headgate
import HeadgateCore
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

final class StreamChannelTests: XCTestCase {
    func test_saysWhatBecomesOfAValue() {
        let channel = StreamChannel<Int, Never>(capacity: 1)
        XCTAssertEqual(channel.trySend(0), .noSubscribers)
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        channel.subscribe(subscriber)
        XCTAssertEqual((1...3).map { channel.trySend($0) }, [.sent, .sent, .full])
        XCTAssertEqual(subscriber.values, [1])
        subscriber.request(.max(2))
        XCTAssertEqual(subscriber.values, [1, 2])
        channel.send(completion: .finished)
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(channel.trySend(4), .finished)
    }

    func test_theSlowestSubscriberDecides() {
        let channel = StreamChannel<Int, Never>(capacity: 2)
        let fast = TestSubscriber<Int, Never>.checked(.unlimited)
        let slow = TestSubscriber<Int, Never>.checked()
        channel.subscribe(fast)
        channel.subscribe(slow)
        XCTAssertEqual((1...3).map { channel.trySend($0) }, [.sent, .sent, .full])
        XCTAssertEqual(fast.values, [1, 2])
        slow.cancel()
        XCTAssertEqual(channel.trySend(3), .sent)
        XCTAssertEqual(fast.values, [1, 2, 3])
    }

    func test_whatIsKeptComesBeforeTheEnd() {
        let channel = StreamChannel<Int, TestFailure>(capacity: 2)
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        channel.subscribe(subscriber)
        _ = channel.trySend(1)
        channel.send(completion: .failure(.first))
        XCTAssertNil(subscriber.completion)
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(subscriber.failure, .first)
        let late = TestSubscriber<Int, TestFailure>.checked()
        channel.subscribe(late)
        XCTAssertEqual(late.failure, .first)
    }

    func test_finishesWhenTheLastReferenceIsReleased() {
        var channel: StreamChannel<Int, Never>? = StreamChannel(capacity: 1)
        let subscriber = TestSubscriber<Int, Never>.checked()
        channel?.subscribe(subscriber)
        channel = nil
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_aSenderWaitsUntilThereIsRoomAndSendersKeepTheirOrder() async {
        let channel = StreamChannel<Int, Never>(capacity: 0)
        let subscriber = TestSubscriber<Int, Never>.checked()
        channel.subscribe(subscriber)
        var tasks: [Task<StreamChannel<Int, Never>.Answer?, Never>] = []
        for value in 1...3 {
            let hasBegun = Atomic(false)
            tasks.append(
                Task {
                    hasBegun.store(true, ordering: .releasing)
                    return try? await channel.send(value)
                })
            XCTAssertTrue(waitUntil(timeout: 20_000) { hasBegun.load(ordering: .acquiring) })
            XCTAssertTrue(waitForQuiet(for: 5) { subscriber.values.count })
        }
        XCTAssertEqual(subscriber.values, [])
        subscriber.request(.max(1))
        let first = await tasks[0].value
        XCTAssertEqual(first, .sent)
        XCTAssertEqual(subscriber.values, [1])
        subscriber.request(.max(2))
        for task in tasks { _ = await task.value }
        XCTAssertEqual(subscriber.values.sorted(), [1, 2, 3])
    }

    func test_aSenderWaitsForTheFirstSubscriber() async throws {
        let channel = StreamChannel<Int, Never>(capacity: 4)
        let task = Task { try await channel.send(1) }
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        channel.subscribe(subscriber)
        let answer = try await task.value
        XCTAssertEqual(answer, .sent)
        XCTAssertEqual(subscriber.values, [1])
    }

    func test_aCancelledSenderSendsNothingAndTheOthersGoOn() async {
        for isCancelledBefore in [true, false] {
            let channel = StreamChannel<Int, Never>(capacity: 0)
            let subscriber = TestSubscriber<Int, Never>.checked()
            channel.subscribe(subscriber)
            let task = Task {
                if isCancelledBefore { withUnsafeCurrentTask { $0?.cancel() } }
                return try await channel.send(1)
            }
            task.cancel()
            let result = await task.result
            XCTAssertThrowsError(try result.get())
            let other = Task { try await channel.send(2) }
            subscriber.request(.unlimited)
            _ = await other.result
            XCTAssertEqual(subscriber.values, [2])
        }
    }

    func test_sendersThatWaitAreNotifiedOfTheEnd() async throws {
        let channel = StreamChannel<Int, Never>(capacity: 0)
        let task = Task { try await channel.send(1) }
        channel.send(completion: .finished)
        let answer = try await task.value
        XCTAssertEqual(answer, .finished)
    }

    func test_releasesSubscribersAndValues() {
        let living = Tracked.count
        let channel = StreamChannel<Tracked, Never>(capacity: 4)
        for _ in 0..<100 {
            let subscriber = TestSubscriber<Tracked, Never>.checked()
            channel.subscribe(subscriber)
            _ = channel.trySend(Tracked())
            subscriber.cancel()
        }
        XCTAssertEqual(Tracked.count, living)
    }
}

final class ChannelSenderTests: XCTestCase {
    func test_cancellingManySendersTakesNoLongerForEach() {
        assertGrowsLinearly(from: 250) { count in
            let executor = TestExecutor()
            let channel = StreamChannel<Int, Never>(capacity: 0)
            let subscriber = TestSubscriber<Int, Never>.checked()
            channel.subscribe(subscriber)
            let tasks = (0..<count).map { value in
                Task(executorPreference: executor) { _ = try? await channel.send(value) }
            }
            executor.run()
            // All but the last.
            for task in tasks.dropLast() { task.cancel() }
            executor.run()
            subscriber.request(.unlimited)
            executor.run()
            XCTAssertEqual(subscriber.values, [count - 1])
        }
    }
}

final class StreamChannelConcurrencyTests: XCTestCase {
    func test_losesNothingBetweenFourSendersAndThreeReaders() async {
        let count = Scale.reduced(20_000)
        let channel = StreamChannel<Int, Never>(capacity: 16)
        let readers = (0..<3).map { _ in
            let sum = Guarded((sum: 0, count: 0))
            let listener = channel.asyncMap { $0 }.sink { value in
                sum.withLock { $0 = ($0.sum + value, $0.count + 1) }
            }
            return (sum: { sum.withLock { $0 } }, listener: listener)
        }
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<4 {
                group.addTask {
                    for value in 0..<count { _ = try? await channel.send(value * 4 + sender) }
                }
            }
        }
        for reader in readers {
            XCTAssertTrue(waitUntil(timeout: 60_000) { reader.sum().count == 4 * count })
            XCTAssertEqual(reader.sum().sum, (0..<(4 * count)).reduce(0, +))
        }
    }

    func test_sendersThatAreCancelledWhereverTheyAreLeaveNothing() async {
        let living = Tracked.count
        let channel = StreamChannel<Tracked, Never>(capacity: 1)
        let subscriber = TestSubscriber<Tracked, Never>.checked()
        channel.subscribe(subscriber)
        for _ in 0..<Scale.reduced(20_000) {
            let task = Task { try await channel.send(Tracked()) }
            task.cancel()
            _ = await task.result
        }
        subscriber.cancel()
        XCTAssertEqual(Tracked.count, living)
    }
}
