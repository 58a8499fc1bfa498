import Headgate
import HeadgateCore
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

final class ForEachTests: XCTestCase {
    @MainActor func test_receivesEveryValueOnTheActorOfTheCaller() async {
        var values: [Int] = []
        await (1...100).publisher.subscribe(on: DispatchQueue.global()).forEach { value in
            MainActor.assertIsolated()
            values.append(value)
            await Task.yield()
        }
        XCTAssertEqual(values, Array(1...100))
    }

    func test_requestsTheNextWhenTheClosureHasReturned() async throws {
        let upstream = TestPublisher<Int, TestFailure>(serving: [1, 2, 3])
        var requested: [Subscribers.Demand] = []
        try await upstream.forEach { _ in requested.append(upstream.requested) }
        XCTAssertEqual(requested, [.max(1), .max(2), .max(3)])
    }

    func test_throwsWhatTheClosureThrowsAndCancels() async {
        for position in [1, 3] {
            let upstream = TestPublisher<Int, Never>(serving: [1, 2, 3])
            do throws(TestFailure) {
                try await upstream.forEach { (value) throws(TestFailure) in
                    if value == position { throw .second }
                }
                XCTFail("nothing is thrown")
            } catch {
                XCTAssertEqual(error, .second)
            }
            XCTAssertFalse(upstream.isConnected)
        }
    }

    func test_throwsWhenACallThrowsWhileOthersReturn() async {
        for _ in 1...200 {
            do throws(TestFailure) {
                try await (1...200).publisher.forEach(maxConcurrent: 8) { number async throws(TestFailure) in
                    if number == 100 { throw .second }
                    await Task.yield()
                }
                XCTFail("nothing is thrown")
            } catch {
                XCTAssertEqual(error, .second)
            }
        }
    }

    func test_throwsTheFailureOfThePublisher() async {
        let failing = [1, 2].publisher.setFailureType(to: TestFailure.self)
            .append(Fail<Int, TestFailure>(error: .first))
        for limit in [0, 1, 2] {
            let sum = Atomic(0)
            do throws(TestFailure) {
                if limit == 0 {
                    try await failing.forEach { sum.add($0, ordering: .relaxed) }
                } else {
                    try await failing.forEach(maxConcurrent: limit) { sum.add($0, ordering: .relaxed) }
                }
                XCTFail("nothing is thrown")
            } catch {
                XCTAssertEqual(error, .first)
            }
            XCTAssertEqual(sum.load(ordering: .relaxed), 3)
        }
    }

    func test_requestsAsManyAsThereAreFreePlaces() async throws {
        let upstream = TestPublisher<Int, Never>()
        let atWork = Guarded<[CheckedContinuation<Void, Never>]>([])
        let task = Task {
            await upstream.forEach(maxConcurrent: 3) { _ in
                await withCheckedContinuation { task in atWork.withLock { $0.append(task) } }
            }
        }
        XCTAssertTrue(waitUntil(timeout: 20_000) { upstream.requested == .max(3) })
        upstream.send(1)
        upstream.send(2)
        XCTAssertTrue(waitUntil(timeout: 20_000) { atWork.withLock { $0.count } == 2 })
        XCTAssertEqual(upstream.requested, .max(3))
        atWork.withLock { $0.removeFirst() }.resume()
        XCTAssertTrue(waitUntil(timeout: 20_000) { upstream.requested == .max(4) })
        upstream.finish()
        atWork.withLock { $0.removeFirst() }.resume()
        await task.value
    }

    func test_returnsWhenAllCallsHaveThoughItIsCancelled() async {
        let upstream = TestPublisher<Int, Never>()
        let ended = Atomic(0)
        let begun = Atomic(0)
        let task = Task {
            await upstream.forEach(maxConcurrent: 2) { _ in
                begun.add(1, ordering: .relaxed)
                while !Task.isCancelled { await Task.yield() }
                ended.add(1, ordering: .relaxed)
            }
        }
        XCTAssertTrue(waitUntil(timeout: 20_000) { upstream.requested == .max(2) })
        upstream.send(1)
        upstream.send(2)
        XCTAssertTrue(waitUntil(timeout: 20_000) { begun.load(ordering: .relaxed) == 2 })
        task.cancel()
        await task.value
        XCTAssertEqual(ended.load(ordering: .relaxed), 2)
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_aTaskThatIsCancelledBeforehandReceivesNothing() async {
        let upstream = TestPublisher<Int, Never>(serving: [1])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await upstream.forEach { _ in XCTFail("a value is heard") }
            await upstream.forEach(maxConcurrent: 2) { _ in }
            let first = await upstream.firstValue
            XCTAssertNil(first)
        }
        await task.value
        XCTAssertFalse(upstream.isConnected)
    }
}

final class AwaitingValuesTests: XCTestCase {
    func test_requestsOneForTheFirstAndCancels() async throws {
        let upstream = TestPublisher<Int, TestFailure>(serving: [7, 8])
        let first = try await upstream.firstValue
        XCTAssertEqual(first, 7)
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .cancel])
    }

    func test_answersTheLast() async {
        let last = await (1...3).publisher.lastValue
        XCTAssertEqual(last, 3)
        let none = await Empty<Int, Never>().lastValue
        XCTAssertNil(none)
        let nobody = await Empty<Int, Never>().firstValue
        XCTAssertNil(nobody)
    }

    func test_collectsNoMoreThanConfigured() async {
        let upstream = TestPublisher<Int, Never>(serving: [1, 2, 3])
        let two = await upstream.collected(upTo: 2)
        XCTAssertEqual(two, [1, 2])
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .cancel])
        let all = await (1...3).publisher.collected(upTo: .max)
        XCTAssertEqual(all, [1, 2, 3])
        let none = await upstream.collected(upTo: 0)
        XCTAssertEqual(none, [])
        XCTAssertEqual(upstream.subscriptionCount, 1)
    }

    func test_throwsTheFailureWithItsType() async {
        let failing = Fail<Int, TestFailure>(error: .first)
        do throws(TestFailure) {
            _ = try await failing.firstValue
            XCTFail("nothing is thrown")
        } catch {
            XCTAssertEqual(error, .first)
        }
        do throws(TestFailure) {
            _ = try await failing.collected(upTo: 3)
            XCTFail("nothing is thrown")
        } catch {
            XCTAssertEqual(error, .first)
        }
    }

    func test_cancellingTheTaskCancelsUpstream() async {
        for number in 0..<3 {
            let upstream = TestPublisher<Int, Never>()
            let task = Task {
                switch number {
                case 0: _ = await upstream.firstValue
                case 1: _ = await upstream.lastValue
                default: _ = await upstream.collected(upTo: 3)
                }
            }
            XCTAssertTrue(waitUntil(timeout: 20_000) { upstream.isConnected && upstream.requested > .none })
            task.cancel()
            await task.value
            XCTAssertEqual(upstream.cancelCount, 1)
        }
    }
}
