import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class GroupByTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>
    private typealias Group = GroupedPublisher<Int, Int, TestFailure>

    func test_dividesValuesByTheirKeys() {
        let upstream = Hand()
        let groups = TestSubscriber<Group, TestFailure>.checked(.unlimited)
        upstream.groupBy(limit: 10, whenFull: .drop) { $0 % 2 }.subscribe(groups)
        (1...2).forEach { upstream.send($0) }
        XCTAssertEqual(groups.values.map(\.key), [1, 0])
        let readers = groups.values.map { group in
            let reader = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            group.subscribe(reader)
            return reader
        }
        (3...6).forEach { upstream.send($0) }
        upstream.finish()
        XCTAssertEqual(readers.map(\.values), [[1, 3, 5], [2, 4, 6]])
        XCTAssertTrue(groups.hasFinished && readers.allSatisfy(\.hasFinished))
    }

    func test_groupsFinishInTheOrderOfTheirFirstValues() {
        let upstream = Hand()
        var finished: [Int] = []
        let reading = upstream.groupBy(limit: 100, whenFull: .drop) { $0 }
            .flatMap { group in
                group.handleEvents(receiveCompletion: { _ in finished.append(group.key) })
            }
            .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
        let keys = (0..<30).map { $0 * 7 % 30 }
        keys.forEach { upstream.send($0) }
        upstream.finish()
        XCTAssertEqual(finished, keys)
        withExtendedLifetime(reading) {}
    }

    func test_aFailureReachesTheGroupsAfterTheirValues() {
        let upstream = Hand()
        let groups = TestSubscriber<Group, TestFailure>.checked(.unlimited)
        upstream.groupBy(limit: 10, whenFull: .drop) { $0 % 2 }.subscribe(groups)
        upstream.send(1)
        let reader = TestSubscriber<Int, TestFailure>.checked(.none)
        groups.values[0].subscribe(reader)
        upstream.fail(.first)
        XCTAssertEqual(groups.failure, .first)
        XCTAssertNil(reader.completion)
        reader.request(.max(1))
        XCTAssertEqual(reader.values, [1])
        XCTAssertEqual(reader.failure, .first)
    }

    func test_aGroupWithoutReaderBlocksNothingAndReportsWhatItDrops() {
        let upstream = TestPublisher<Int, TestFailure>(serving: Array(0..<20))
        var dropped: [Int] = []
        let groups = TestSubscriber<Group, TestFailure>.checked(.unlimited)
        let read = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.groupBy(limit: 10, buffer: 3, whenFull: .drop, onDrop: { dropped.append($0) }) { $0 % 2 }
            .handleEvents(receiveOutput: { if $0.key == 1 { $0.subscribe(read) } })
            .subscribe(groups)
        XCTAssertEqual(read.values, Array(stride(from: 1, to: 20, by: 2)))
        XCTAssertEqual(dropped, Array(stride(from: 6, to: 20, by: 2)))
        let late = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        groups.values[0].subscribe(late)
        XCTAssertEqual(late.values, [0, 2, 4])
        XCTAssertTrue(late.hasFinished)
        let second = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        groups.values[0].subscribe(second)
        XCTAssertTrue(second.hasFinished)
        XCTAssertEqual(second.values, [])
    }

    func test_aSlowReaderHoldsUpstreamBackAndLosesNothing() {
        let upstream = TestPublisher<Int, TestFailure>(serving: Array(0..<20))
        let groups = TestSubscriber<Group, TestFailure>.checked(.unlimited)
        let slow = TestSubscriber<Int, TestFailure>.checked(.first(1))
        upstream.groupBy(limit: 10, buffer: 3, whenFull: .drop) { _ in 0 }
            .handleEvents(receiveOutput: { $0.subscribe(slow) })
            .subscribe(groups)
        XCTAssertEqual(slow.values, [0])
        XCTAssertLessThanOrEqual(upstream.requested, .max(8))
        slow.request(.unlimited)
        XCTAssertEqual(slow.values, Array(0..<20))
        XCTAssertTrue(slow.hasFinished)
    }

    func test_groupsThatNobodyHasRequestedHoldUpstreamBack() {
        let upstream = Hand()
        let groups = TestSubscriber<Group, TestFailure>.checked(.first(1))
        upstream.groupBy(limit: 100, buffer: 4, whenFull: .drop) { $0 }.subscribe(groups)
        (0..<20).forEach { upstream.send($0) }
        XCTAssertEqual(groups.values.map(\.key), [0])
        XCTAssertEqual(upstream.requested, .max(5))
        groups.request(.max(2))
        XCTAssertEqual(groups.values.map(\.key), [0, 1, 2])
        XCTAssertEqual(upstream.requested, .max(7))
    }

    func test_everyPolicyIsKeptWhenThereAreAsManyGroupsAsMayBe() {
        let upstream = TestPublisher<Int, TestFailure>(serving: [0, 1, 2, 0])
        var dropped: [Int] = []
        let merged = TestSubscriber<String, TestFailure>.checked(.unlimited)
        upstream.groupBy(limit: 2, whenFull: .drop, onDrop: { dropped.append($0) }) { $0 }
            .flatMap { group in group.collect().map { "\(group.key): \($0)" } }
            .subscribe(merged)
        XCTAssertEqual(merged.values.sorted(), ["0: [0, 0]", "1: [1]"])
        XCTAssertEqual(dropped, [2])

        let evicting = TestSubscriber<String, TestFailure>.checked(.unlimited)
        TestPublisher<Int, TestFailure>(serving: [0, 1, 0, 2, 0, 1])
            .groupBy(limit: 2, whenFull: .finishIdlest) { $0 }
            .flatMap { group in group.collect().map { "\(group.key): \($0)" } }
            .subscribe(evicting)
        XCTAssertEqual(evicting.values.first, "1: [1]", "the idlest made room for 2")
        XCTAssertEqual(evicting.values.sorted(), ["0: [0, 0, 0]", "1: [1]", "1: [1]", "2: [2]"])
        XCTAssertTrue(evicting.hasFinished)

        let failing = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let hand = Hand()
        hand.groupBy(limit: 1, whenFull: .fail { .second }) { $0 }.flatMap { $0 }.subscribe(failing)
        hand.send(0)
        hand.send(1)
        XCTAssertEqual(failing.values, [0])
        XCTAssertEqual(failing.failure, .second)
        XCTAssertEqual(hand.cancelCount, 1)
    }

    func test_theIdlestIsKnownAfterTheMostRecentHasBeenCancelled() {
        let upstream = Hand()
        let groups = TestSubscriber<Group, TestFailure>.checked(.unlimited)
        upstream.groupBy(limit: 2, whenFull: .finishIdlest) { $0 }.subscribe(groups)
        var readers: [Int: TestSubscriber<Int, TestFailure>] = [:]
        func send(_ key: Int) {
            upstream.send(key)
            guard let group = groups.values.last, readers[group.key] == nil else { return }
            readers[group.key] = TestSubscriber.checked(.unlimited)
            group.subscribe(readers[group.key]!)
        }
        send(1)
        send(2)
        readers[2]?.cancel()
        send(3)
        send(4)
        XCTAssertEqual([1, 3, 4].map { readers[$0]?.hasFinished }, [true, false, false])
    }

    func test_groupsFinishWhenTheyHaveBeenIdleForLong() {
        let scheduler = TestScheduler()
        let upstream = PassthroughSubject<Int, Never>()
        var received: [String] = []
        let sink = upstream.groupBy(limit: 10, idleTimeout: .seconds(10), scheduler: scheduler, whenFull: .drop) { $0 }
            .flatMap { group in group.count().map { "\(group.key): \($0) at \(scheduler.now)" } }
            .sink { received.append($0) }
        upstream.send(1)
        scheduler.advance(by: .seconds(6))
        upstream.send(2)
        scheduler.advance(by: .seconds(3))
        upstream.send(1)
        XCTAssertEqual(scheduler.unfinished.count, 1)
        scheduler.advance(by: .seconds(7))
        XCTAssertEqual(received, ["2: 1 at 16s"])
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(received, ["2: 1 at 16s", "1: 2 at 19s"])
        upstream.send(1)
        sink.cancel()
        scheduler.runUntilIdle()
        XCTAssertEqual(received.count, 2)
    }

    func test_whoCancelsTheGroupsKeepsThoseThatAreRead() {
        let upstream = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.groupBy(limit: 10, whenFull: .drop) { $0 % 3 }.prefix(2).flatMap { $0 }.subscribe(subscriber)
        (0..<9).forEach { upstream.send($0) }
        XCTAssertEqual(subscriber.values, [0, 1, 3, 4, 6, 7])
        XCTAssertEqual(upstream.cancelCount, 0)
        subscriber.cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_aCancelledGroupBeginsAnew() {
        let upstream = Hand()
        let subscriber = TestSubscriber<[Int], TestFailure>.checked(.unlimited)
        upstream.groupBy(limit: 1, whenFull: .drop) { _ in 0 }.flatMap { $0.prefix(2).collect() }
            .subscribe(subscriber)
        (0..<5).forEach { upstream.send($0) }
        XCTAssertEqual(subscriber.values, [[0, 1], [2, 3]])
    }

    func test_aHundredThousandKeysTakeTheMemoryOfAThousand() {
        let count = Scale.reduced(100_000)
        let counter = LiveCounter()
        var most = 0
        let subscriber = CountingSubscriber<Int, Never>()
        (0..<count).publisher
            .groupBy(limit: 1000, whenFull: .finishIdlest) { $0 }
            .flatMap { group -> AnyPublisher<Int, Never> in
                let token = counter.make()
                most = max(most, counter.live)
                return group.handleEvents(receiveCompletion: { _ in token.end() }).count().eraseToAnyPublisher()
            }
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.count, count)
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertLessThanOrEqual(most, 1001)
    }
}

/// How many groups are going.
private final class LiveCounter {
    struct Token {
        let counter: LiveCounter
        func end() { counter.live -= 1 }
    }

    var live = 0

    func make() -> Token {
        live += 1
        return Token(counter: self)
    }
}

extension GroupByTests {
    // What is left of a group whose reader has enough.

    func test_whatWaitsInACancelledGroupBeginsTheNextOne() {
        let subscriber = TestSubscriber<Int, Never>.checked()
        var dropped: [Int] = []
        [7, 7, 7].publisher.groupBy(limit: 10, whenFull: .drop, onDrop: { dropped.append($0) }) { $0 }
            .flatMap { $0.prefix(1) }
            .subscribe(subscriber)
        for _ in 1...5 { subscriber.request(1) }
        XCTAssertEqual(subscriber.values, [7, 7, 7])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(dropped, [])
    }

    func test_conservesEveryValueWhateverIsTakenOfAGroup() {
        for (taken, buffer, step) in [(1, 1, 1), (1, 16, 1), (2, 3, 1), (3, 16, 2), (1, 4, 3)] {
            let subscriber = TestSubscriber<Int, Never>.checked()
            let values = (0..<300).map { $0 * 7919 % 1009 }
            values.publisher.groupBy(limit: 10, buffer: buffer, whenFull: .finishIdlest) { $0 % 5 }
                .flatMap { $0.prefix(taken) }
                .subscribe(subscriber)
            for _ in 0..<400 { subscriber.request(.max(step)) }
            for key in 0..<5 {
                XCTAssertEqual(subscriber.values.filter { $0 % 5 == key }, values.filter { $0 % 5 == key })
            }
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_holdsUpstreamBackForWhatTheNextGroupHas() {
        let upstream = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        upstream.groupBy(limit: 10, buffer: 4, whenFull: .drop) { _ in 0 }.flatMap { $0.prefix(1) }.subscribe(
            subscriber)
        subscriber.request(1)
        (1...4).forEach { upstream.send($0) }
        XCTAssertEqual(subscriber.values, [1])
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(upstream.outstanding, .max(2), "two wait in a group, and two have been delivered")
    }

    func test_whatASubscriberLeavesThatHasTakenNothingIsReported() {
        let upstream = Hand()
        var dropped: [Int] = []
        let groups = TestSubscriber<Group, TestFailure>.checked(.unlimited)
        upstream.groupBy(limit: 10, whenFull: .drop, onDrop: { dropped.append($0) }) { $0 % 2 }.subscribe(groups)
        upstream.send(1)
        let reader = TestSubscriber<Int, TestFailure>.checked(.none)
        groups.values[0].subscribe(reader)
        upstream.send(3)
        reader.cancel()
        XCTAssertEqual(dropped, [1, 3])
        upstream.send(5)
        XCTAssertEqual(groups.values.count, 2)
        groups.cancel()
        XCTAssertEqual(dropped, [1, 3])
    }

    func test_whatNoFurtherGroupReceivesIsReported() {
        for ending in ["cancel", "failure"] {
            let upstream = Hand()
            var dropped: [Int] = []
            let groups = TestSubscriber<Group, TestFailure>.checked(.unlimited)
            upstream.groupBy(limit: 10, whenFull: .drop, onDrop: { dropped.append($0) }) { $0 % 2 }.subscribe(groups)
            upstream.send(1)
            let reader = TestSubscriber<Int, TestFailure>.checked(.first(1))
            groups.values[0].subscribe(reader)
            [3, 5].forEach { upstream.send($0) }
            if ending == "cancel" { groups.cancel() } else { upstream.fail(.first) }
            reader.cancel()
            XCTAssertEqual(reader.values, [1])
            XCTAssertEqual(dropped, [3, 5], ending)
        }
    }

    func test_whatWaitsInGroupsThatNobodyHasRequestedIsReportedWhenTheyAreCancelled() {
        let upstream = Hand()
        var dropped: [Int] = []
        let groups = TestSubscriber<Group, TestFailure>.checked(.first(1))
        upstream.groupBy(limit: 10, whenFull: .drop, onDrop: { dropped.append($0) }) { $0 }.subscribe(groups)
        (1...3).forEach { upstream.send($0) }
        groups.cancel()
        XCTAssertEqual(dropped, [2, 3])
    }

    func test_whatAFinishedGroupHasLeftComesBeforeWhatWaitsInTheNext() {
        let upstream = Hand()
        let groups = TestSubscriber<Group, TestFailure>.checked(.unlimited)
        upstream.groupBy(limit: 1, whenFull: .finishIdlest) { $0 % 2 }.subscribe(groups)
        upstream.send(1)
        let first = TestSubscriber<Int, TestFailure>.checked(.first(1))
        groups.values[0].subscribe(first)
        [3, 5, 2].forEach { upstream.send($0) }
        upstream.send(7)
        let second = TestSubscriber<Int, TestFailure>.checked(.none)
        groups.values[2].subscribe(second)
        first.cancel()
        second.request(.unlimited)
        XCTAssertEqual(second.values, [3, 5, 7])
    }
}
