import Headgate
import HeadgateCore
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

/// Work that goes on when the test says so.
private final class Work: Sendable {
    private let waiting = Guarded<[Int: CheckedContinuation<Void, Never>]>([:])

    /// What has begun and not ended, in its order.
    var underWay: [Int] { waiting.withLock { $0.keys.sorted() } }

    func pass(_ number: Int) async {
        await withCheckedContinuation { task in waiting.withLock { $0[number] = task } }
    }

    func finish(_ number: Int) { waiting.withLock { $0.removeValue(forKey: number) }?.resume() }
}

final class AsyncMapByKeyTests: XCTestCase {
    private let executor = TestExecutor()
    private let work = Work()
    private let upstream = TestPublisher<Int, TestFailure>()

    /// Values with the same tens have the same key.
    private func subscribe(
        _ limit: Int = 4, ordered: Bool = true, _ demand: DemandScript = .unlimited, failing: Int? = nil
    ) -> TestSubscriber<Int, TestFailure> {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(demand)
        executor.adopt {
            upstream.asyncMap(maxConcurrent: limit, ordered: ordered, by: { $0 / 10 }) {
                [work] (value: Int) async throws(TestFailure) -> Int in
                await work.pass(value)
                if value == failing { throw .first }
                return value
            }
            .subscribe(subscriber)
        }
        executor.run()
        return subscriber
    }

    private func send(_ values: Int...) {
        values.forEach { upstream.send($0) }
        executor.run()
    }

    private func finish(_ value: Int) {
        work.finish(value)
        executor.run()
    }

    func test_worksOnDifferentKeysAtTheSameTimeAndOnOneInItsOrder() {
        let subscriber = subscribe()
        send(10, 11, 20, 12)
        XCTAssertEqual(work.underWay, [10, 20])
        finish(20)
        XCTAssertEqual(work.underWay, [10])
        finish(10)
        XCTAssertEqual(work.underWay, [11])
        XCTAssertEqual(subscriber.values, [10])
        finish(11)
        XCTAssertEqual(subscriber.values, [10, 11, 20])
        finish(12)
        send(13)
        finish(13)
        upstream.finish()
        XCTAssertEqual(subscriber.values, [10, 11, 20, 12, 13])
        XCTAssertEqual(subscriber.completion, .finished)
    }

    func test_deliversAsResultsBecomeReadyIfThereIsNoOrder() {
        let subscriber = subscribe(ordered: false)
        send(10, 11, 20, 21)
        finish(20)
        finish(21)
        XCTAssertEqual(subscriber.values, [20, 21])
        finish(10)
        finish(11)
        XCTAssertEqual(subscriber.values, [20, 21, 10, 11])
        subscriber.cancel()
    }

    func test_requestsWhatMayBeUnderWay() {
        let subscriber = subscribe(3, .none)
        XCTAssertEqual(upstream.outstanding, .none)
        subscriber.request(.max(2))
        XCTAssertEqual(upstream.outstanding, .max(3))
        subscriber.request(.max(5))
        XCTAssertEqual(upstream.outstanding, .max(3))
        send(10, 11, 12)
        // Those that wait for their turn count.
        XCTAssertEqual(upstream.outstanding, .none)
        finish(10)
        XCTAssertEqual(upstream.outstanding, .max(1))
        finish(11)
        finish(12)
        subscriber.cancel()
    }

    func test_oneAtATimeIsTheOrderOfTheValues() {
        let subscriber = subscribe(1, .oneByOne)
        for value in [10, 20, 11] {
            send(value)
            XCTAssertEqual(work.underWay, [value])
            finish(value)
        }
        XCTAssertEqual(subscriber.values, [10, 20, 11])
        subscriber.cancel()
    }

    func test_aFailureKeepsWhatWaitsFromBeginning() {
        let subscriber = subscribe(failing: 10)
        send(10, 11, 20)
        finish(10)
        XCTAssertEqual(subscriber.completion, .failure(.first))
        XCTAssertEqual(work.underWay, [20])
        finish(20)
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(subscriber.values, [])
    }

    func test_cancellingKeepsWhatWaitsFromBeginning() {
        let subscriber = subscribe()
        send(10, 11)
        subscriber.cancel()
        finish(10)
        XCTAssertEqual(work.underWay, [])
    }

    func test_aFailureOfUpstreamWaitsForTheWork() {
        let subscriber = subscribe()
        send(10, 11)
        upstream.fail(.first)
        XCTAssertNil(subscriber.completion)
        finish(10)
        finish(11)
        XCTAssertEqual(subscriber.values, [10, 11])
        XCTAssertEqual(subscriber.completion, .failure(.first))
    }

    func test_throwingClosuresHaveTheirTypes() async throws {
        let numbers = [1, 2].publisher
        let plain = numbers.asyncMap(maxConcurrent: 2, by: { $0 }) { $0 * 2 }
        let typed: Publishers.AsyncMapByKey<Publishers.Sequence<[Int], Never>, Int, Int, TestFailure> =
            numbers.asyncMap(maxConcurrent: 2, by: { $0 }) { (_: Int) async throws(TestFailure) -> Int in throw .first }
        var values: [Int] = []
        for await value in plain.values { values.append(value) }
        XCTAssertEqual(values, [2, 4])
        do {
            _ = try await typed.firstValue
            XCTFail("It has not failed.")
        } catch {
            XCTAssertEqual(error, .first)
        }
    }

    // Ends the process if it fails: each turn that has not begun retains the one before.
    func test_manyValuesOfOneKeyThatNobodyHasBegunAreReleasedWithoutRecursion() {
        let count = 200_000
        let executor = TestExecutor()
        let subscriber = TestSubscriber<Int, Never>.checked()
        executor.adopt {
            (1...count).publisher.asyncMap(maxConcurrent: count, by: { _ in 0 }) { $0 }.subscribe(subscriber)
        }
        subscriber.request(.max(1))
        subscriber.cancel()
        executor.run()
        XCTAssertEqual(subscriber.values, [])
    }

    func test_forgetsKeys() async {
        final class Key: Hashable, Sendable {
            static let count = Atomic(0)
            let number: Int
            init(_ number: Int) {
                self.number = number
                Key.count.add(1, ordering: .relaxed)
            }
            deinit { Key.count.subtract(1, ordering: .relaxed) }
            static func == (lhs: Key, rhs: Key) -> Bool { lhs.number == rhs.number }
            func hash(into hasher: inout Hasher) { hasher.combine(number) }
        }
        var most = 0
        for await _ in (0..<2_000).publisher.asyncMap(maxConcurrent: 4, by: { Key($0) }, { $0 }).values(
            buffering: .onDemand)
        {
            most = max(most, Key.count.load(ordering: .relaxed))
        }
        XCTAssertLessThan(most, 40)
        // The last task may still be ending.
        for _ in 0..<1_000_000 where Key.count.load(ordering: .relaxed) > 0 { await Task.yield() }
        XCTAssertEqual(Key.count.load(ordering: .relaxed), 0)
    }
}
