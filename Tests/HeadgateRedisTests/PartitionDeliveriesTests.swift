import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

typealias Worker = TestSubscriber<HeadgateRedis.Delivery, RedisError>

extension RealServer {
    /// Adds entries `n` with a key, each to its partition.
    func add(_ entries: [(key: Bytes, number: Int)], to partitions: RedisPartitions) throws {
        for (key, number) in entries {
            let stream = partitions.stream(partitions.partition(of: key)).key
            try makeRequest("XADD", stream, "*", "headgate-key", key, "n", Bytes("\(number)"))
        }
    }

    /// How many entries are pending in all partitions.
    func pending(_ partitions: RedisPartitions, _ group: Bytes) throws -> Int {
        try (0..<partitions.count).reduce(0) { try $0 + max(0, pending(partitions.stream($1).key, group)) }
    }
}

extension HeadgateRedis.Delivery {
    var number: Int { Int(fields.text("n") ?? "") ?? -1 }
}

/// Acknowledges some deliveries, and waits until that is done.
func acknowledge(_ deliveries: [HeadgateRedis.Delivery], file: StaticString = #filePath, line: UInt = #line)
    -> [EntryID]
{
    let subscriber = TestSubscriber<EntryID, RedisError>(.unlimited)
    deliveries.publisher.setFailureType(to: RedisError.self).acknowledge().subscribe(subscriber)
    XCTAssertEqual(subscriber.ending(file: file, line: line), .finished, file: file, line: line)
    return subscriber.values
}

/// What one worker is promised.
final class PartitionDeliveriesTests: RedisTestCase {
    private func worker(
        _ partitions: RedisPartitions, _ name: Bytes = "w", _ demand: DemandScript = .unlimited,
        deliveries: DeliveryLimit = .unlimited, ordering: PartitionOrdering = .byKey,
        whenWorkFails: FailedWorkPolicy = .holdBack, retryingAfter: Duration = .milliseconds(50)
    ) -> Worker {
        let subscriber = Worker.checked(demand)
        partitions.deliveries(
            group: "g", worker: name, lease: .seconds(2), deliveries: deliveries, ordering: ordering,
            whenWorkFails: whenWorkFails, retryingAfter: retryingAfter
        ).subscribe(subscriber)
        return subscriber
    }

    /// Keys that are in different partitions of four.
    private let keys: [Bytes] = ["a", "b", "c", "d"]

    func test_handsOutTheNextOfAKeyWhenTheOneBeforeIsAcknowledged() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 4)
        try server.add([("a", 1), ("a", 2), ("b", 3), ("a", 4)], to: partitions)
        let subscriber = worker(partitions)
        subscriber.count(2)
        XCTAssertEqual(Set(subscriber.values.map(\.number)), [1, 3])
        let first = subscriber.values.first { $0.number == 1 }!
        XCTAssertEqual(first.key, "a")
        XCTAssertEqual(first.partition, partitions.partition(of: "a"))
        XCTAssertGreaterThan(try XCTUnwrap(first.token), 0)
        XCTAssertTrue(first.isHeld)
        XCTAssertEqual(first.count, 1)
        XCTAssertNil(first.takenFrom)
        XCTAssertEqual(acknowledge([first]), [first.id])
        subscriber.count(3)
        XCTAssertEqual(subscriber.values[2].number, 2)
        XCTAssertEqual(acknowledge([subscriber.values[2]]).count, 1)
        subscriber.count(4)
        XCTAssertEqual(subscriber.values[3].number, 4)
        _ = acknowledge(subscriber.values)
        XCTAssertEqual(try server.pending(partitions, "g"), 0)
        try server.add([("c", 5)], to: partitions)
        subscriber.count(5)
        subscriber.cancel()
    }

    /// What is released late, or acknowledged by two copies, is about no other entry.
    func test_aDeliveryThatOutlivesItsEntryMeansNoOther() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 1)
        try server.add((0..<10).map { (Bytes("k\($0)"), $0) }, to: partitions)
        let late = Guarded<[HeadgateRedis.Delivery]>([])
        let others = Guarded<[HeadgateRedis.Delivery]>([])
        let subscriber = TestSubscriber<Int, RedisError>.checked(.unlimited)
        partitions.deliveries(group: "g", worker: "w", lease: .seconds(2), retryingAfter: .zero)
            .map { delivery in
                if delivery.number < 10 {
                    late.withLock { $0.append(delivery) }
                } else {
                    others.withLock { $0.append(delivery) }
                }
                return delivery.number
            }
            .subscribe(subscriber)
        subscriber.count(10)
        for _ in 0..<2 { XCTAssertEqual(acknowledge(late.withLock { $0 }).count, 10) }
        try server.add((10..<20).map { (Bytes("k\($0)"), $0) }, to: partitions)
        subscriber.count(20)
        late.withLock { $0 = [] }
        // Were these ones' places the former ones', they would be delivered again now.
        try server.add((20..<30).map { (Bytes("k\($0)"), $0) }, to: partitions)
        subscriber.count(30)
        XCTAssertEqual(subscriber.values, Array(0..<30))
        XCTAssertEqual(acknowledge(others.withLock { $0 }).count, 20)
        XCTAssertEqual(try server.pending(partitions, "g"), 0)
        subscriber.cancel()
    }

    func test_handsOutEverythingInTheOrderOfThePartitionIfAsked() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 2)
        try server.add((0..<300).map { ("k\($0 % 3)", $0) }.map { (Bytes($0.0), $0.1) }, to: partitions)
        let subscriber = worker(partitions, ordering: .asRead)
        subscriber.count(300)
        for partition in 0..<2 {
            let numbers = subscriber.values.filter { $0.partition == partition }.map(\.number)
            XCTAssertEqual(numbers, numbers.sorted())
        }
        subscriber.cancel()
    }

    /// What is requested bounds what is read, and each partition has its turn.
    func test_readsWhatIsRequestedFromThePartitionsByTurns() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 4)
        let numbers = (0..<400).map { (Bytes("k\($0)"), $0) }
        try server.add(numbers, to: partitions)
        let subscriber = worker(partitions, "w", .first(8))
        subscriber.count(8)
        server.waitForBlocked(0)
        XCTAssertEqual(try server.pending(partitions, "g"), 8)
        XCTAssertEqual(Set(subscriber.values.map(\.partition)).count, 4)
        subscriber.request(.max(100))
        subscriber.count(108)
        XCTAssertEqual(try server.pending(partitions, "g"), 108)
        for partition in 0..<4 {
            XCTAssertGreaterThan(subscriber.values.filter { $0.partition == partition }.count, 8)
        }
        subscriber.cancel()
    }

    /// One key that is held back keeps no other waiting, and its partition is not read without end.
    func test_aKeyThatIsHeldBackKeepsNoOtherWaiting() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 1)
        try server.add((0..<100).map { ("hot", $0) } + [("cold", 100)], to: partitions)
        let subscriber = worker(partitions, "w", .first(2))
        subscriber.count(2)
        XCTAssertEqual(subscriber.values.map(\.number), [0, 100])
        try server.add((101..<500).map { ("hot", $0) }, to: partitions)
        subscriber.request(.max(10))
        eventually("the limit is reached") { (try? server.pending(partitions, "g")) == 129 + 1 }
        XCTAssertEqual(subscriber.values.count, 2)
        subscriber.cancel()
    }

    func test_failedWorkHoldsBackItsKeyUntilItIsMovedAway() throws {
        let server = try RealServer.shared()
        let redis = Redis(server.url)
        let partitions = redis.partitions("s", count: 2)
        try server.add([("a", 1), ("a", 2), ("b", 3)], to: partitions)
        let events = TestSubscriber<PartitionEvent, Never>(.unlimited)
        partitions.events.subscribe(events)
        let tries = Guarded<[Int: Int]>([:])
        let done = TestSubscriber<EntryID, RedisError>(.unlimited)
        partitions.deliveries(
            group: "g", worker: "w", lease: .seconds(2), deliveries: .atMost(3, then: redis.stream("dead")),
            retryingAfter: .milliseconds(20)
        )
        .compactMap { delivery in
            tries.withLock { $0[delivery.number, default: 0] += 1 }
            return delivery.number == 1 ? nil : delivery
        }
        .acknowledge(within: .milliseconds(1)).subscribe(done)
        done.count(1)
        XCTAssertEqual(tries.withLock { $0[2] }, nil, "it waits for the one before")
        done.count(2)
        XCTAssertEqual(tries.withLock { $0 }, [1: 3, 2: 1, 3: 1])
        let dead = try XCTUnwrap(server.makeRequest("XRANGE", "dead", "-", "+").elements)
        let fields = dead.first?.elements?[1].elements?.map { $0.text ?? "" } ?? []
        XCTAssertEqual(dead.count, 1)
        XCTAssertEqual(fields.prefix(4), ["headgate-key", "a", "n", "1"])
        XCTAssertEqual(Array(fields[6...7]), ["headgate-count", "3"])
        XCTAssertEqual(Array(fields.suffix(4)), ["headgate-consumer", "w", "headgate-partition", "1"])
        XCTAssertTrue(events.values.contains { if case .movedAway(1, _) = $0.what { true } else { false } })
        XCTAssertEqual(try server.pending(partitions, "g"), 0)
        done.cancel()
    }

    func test_failedWorkLetsItsKeyGoOnIfAsked() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 1)
        try server.add([("a", 1), ("a", 2)], to: partitions)
        let seen = Guarded<[Int]>([])
        let done = TestSubscriber<EntryID, RedisError>(.unlimited)
        partitions.deliveries(
            group: "g", worker: "w", lease: .seconds(2), whenWorkFails: .goOn, retryingAfter: .milliseconds(50)
        )
        .compactMap { delivery in
            let isFirst = seen.withLock { seen in
                seen.append(delivery.number)
                return seen == [1]
            }
            return isFirst ? nil : delivery
        }
        .acknowledge(within: .milliseconds(1)).subscribe(done)
        done.count(2)
        XCTAssertEqual(seen.withLock { $0 }, [1, 2, 1])
        done.cancel()
    }

    /// An entry that can't be moved away keeps its place: those of its key wait, others go on.
    func test_anEntryThatCannotBeMovedKeepsItsPlace() throws {
        let server = try RealServer.shared()
        let redis = Redis(server.url)
        let partitions = redis.partitions("s", count: 1)
        try server.makeRequest("SET", "dead", "no stream")
        try server.add([("a", 1), ("a", 2), ("b", 3)], to: partitions)
        let events = TestSubscriber<RedisEvent, Never>(.unlimited)
        redis.events.subscribe(events)
        let seen = Guarded<[Int]>([])
        let done = TestSubscriber<EntryID, RedisError>(.unlimited)
        partitions.deliveries(
            group: "g", worker: "w", lease: .seconds(2), deliveries: .atMost(1, then: redis.stream("dead")),
            retryingAfter: .milliseconds(20)
        )
        .compactMap { delivery in
            seen.withLock { $0.append(delivery.number) }
            return delivery.number == 1 ? nil : delivery
        }
        .acknowledge(within: .milliseconds(1)).subscribe(done)
        eventually("it is reported") {
            events.values.contains {
                if case .notMoved(_, _, let words) = $0 { words.contains("WRONGTYPE") } else { false }
            }
        }
        try server.add([("c", 4)], to: partitions)
        done.count(2)
        XCTAssertEqual(seen.withLock { $0.sorted() }, [1, 3, 4])
        try server.makeRequest("DEL", "dead")
        done.count(3)
        XCTAssertEqual(seen.withLock { $0.last }, 2)
        XCTAssertEqual(try server.number("XLEN", "dead"), 1)
        done.cancel()
    }

    func test_anotherNumberOfPartitionsFails() throws {
        let server = try RealServer.shared()
        try server.makeRequest("SET", "s:{partitions}", "64")
        let subscriber = worker(Redis(server.url).partitions("s", count: 32))
        XCTAssertEqual(subscriber.ending()?.failure?.reason, .partitionCount(stored: 64, asked: 32))
        XCTAssertEqual(try server.makeRequest("KEYS", "*").elements?.count, 1)
    }

    /// A partition that is no stream is named, and the others go on; a group that some partitions have is made in others.
    func test_aPartitionOfTheWrongTypeStopsNoOther() throws {
        let server = try RealServer.shared()
        let redis = Redis(server.url)
        let partitions = redis.partitions("s", count: 3)
        try server.makeRequest("SET", "s:{1}", "no stream")
        try server.makeRequest("XGROUP", "CREATE", "s:{2}", "g", "0", "MKSTREAM")
        for partition: Bytes in ["s:{0}", "s:{2}"] { try server.makeRequest("XADD", partition, "*", "n", "1") }
        let events = TestSubscriber<PartitionEvent, Never>(.unlimited)
        partitions.events.subscribe(events)
        let subscriber = worker(partitions)
        subscriber.count(2)
        let failed = events.values.compactMap { event -> RedisError? in
            if case .failed(1, let error) = event.what { error } else { nil }
        }
        XCTAssertEqual(failed.count, 1)
        XCTAssertEqual(failed.first?.code, "WRONGTYPE")
        try server.makeRequest("DEL", "s:{1}")
        try server.makeRequest("XADD", "s:{1}", "*", "n", "2")
        subscriber.count(3)
        subscriber.cancel()
        let strict = Worker.checked(.unlimited)
        try server.makeRequest("DEL", "s:{1}")
        try server.makeRequest("SET", "s:{1}", "no stream")
        partitions.deliveries(group: "h", worker: "w", whenPartitionFails: .fail).subscribe(strict)
        XCTAssertEqual(strict.ending()?.failure?.code, "WRONGTYPE")
    }

    /// The group of one partition vanishes: it is made again from the beginning, and the others are not disturbed.
    func test_aLostGroupIsMadeAgain() throws {
        let server = try RealServer.shared()
        let redis = Redis(server.url)
        let partitions = redis.partitions("s", count: 2)
        try server.add([("a", 1)], to: partitions)
        let events = TestSubscriber<RedisEvent, Never>(.unlimited)
        redis.events.subscribe(events)
        let subscriber = worker(partitions)
        subscriber.count(1)
        let stream = partitions.stream(partitions.partition(of: "a")).key
        server.waitForBlocked(1)
        try server.makeRequest("XGROUP", "DESTROY", stream, "g")
        try server.add([("a", 2)], to: partitions)
        subscriber.count(2)
        XCTAssertEqual(subscriber.values.map(\.number), [1, 1])
        XCTAssertTrue(events.values.contains(.groupLost(stream: stream, group: "g")))
        XCTAssertFalse(subscriber.values[0].isHeld)
        XCTAssertTrue(subscriber.values[1].isHeld)
        _ = acknowledge([subscriber.values[1]])
        subscriber.count(3)
        XCTAssertEqual(subscriber.values[2].number, 2)
        subscriber.cancel()
    }

    /// Nothing is lost, nothing is handed out twice, and the order of keys is kept, whatever byte is the last.
    func test_keepsOrderWhateverByteIsTheLast() throws {
        for requests in [true, false] {
            let server = try RealServer.shared()
            let proxy = try Proxy(to: server) { number in
                if number > 60 { return (.none, .none) }
                let fault = Proxy.Fault.cut(after: 300 + number * (requests ? 31 : 23))
                return requests ? (fault, .none) : (.none, fault)
            }
            var options = RedisOptions()
            options.retrying = .constant(.milliseconds(1), retries: nil)
            let partitions = Redis(proxy.url, options: options).partitions("s", count: 4)
            try server.add((0..<200).map { (Bytes("k\($0 % 8)"), $0) }, to: partitions)
            let seen = Guarded<[Int]>([])
            let done = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
            partitions.deliveries(group: "g", worker: "w", lease: .seconds(2))
                .handleEvents(receiveOutput: { delivery in seen.withLock { $0.append(delivery.number) } })
                .acknowledge(batch: 3, within: .milliseconds(1)).subscribe(done)
            done.count(200)
            XCTAssertGreaterThan(proxy.count, 20)
            let numbers = seen.withLock { $0 }
            XCTAssertEqual(numbers.sorted(), Array(0..<200))
            for key in 0..<8 {
                let some = numbers.filter { $0 % 8 == key }
                XCTAssertEqual(some, some.sorted())
            }
            XCTAssertEqual(try server.pending(partitions, "g"), 0)
            done.cancel()
            proxy.close()
        }
    }

    /// One connection waits for all partitions, and commands have the other.
    func test_hasTwoConnectionsWhateverTheNumberOfPartitions() throws {
        let server = try RealServer.shared()
        let proxy = try Proxy(to: server)
        let partitions = Redis(proxy.url).partitions("s", count: 256)
        let subscriber = worker(partitions)
        server.waitForBlocked(1)
        try server.add((0..<50).map { (Bytes("k\($0)"), $0) }, to: partitions)
        subscriber.count(50)
        XCTAssertEqual(proxy.count, 2)
        subscriber.cancel()
        eventually("it has left") { (try? server.makeRequest("KEYS", "*lease*").elements?.count) == 0 }
        proxy.close()
    }

    func test_tellsHowFarAGroupIsBehind() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 300)
        let lags = TestSubscriber<[PartitionLag], RedisError>(.unlimited)
        partitions.lag(of: "g", every: .milliseconds(20)).subscribe(lags)
        lags.count(1)
        XCTAssertEqual(lags.values[0].map(\.partition), Array(0..<300))
        XCTAssertTrue(lags.values[0].allSatisfy { $0.owner == nil && $0.pending == 0 && $0.waiting == 0 })
        let place = partitions.partition(of: "a")
        try server.add([("a", 1), ("b", 2)], to: partitions)
        let subscriber = worker(partitions, "w", .first(1))
        subscriber.count(1)
        try server.add([("c", 3), ("c", 4)], to: partitions)
        let late = partitions.partition(of: "c")
        eventually("it is told") {
            let last = lags.values.last ?? []
            // Before version 7, the server does not know.
            return last[late].waiting ?? 2 == 2 && last[late].age != nil && last.allSatisfy { $0.owner == "w" }
        }
        let last = lags.values.last ?? []
        XCTAssertEqual(last[place].pending + last[partitions.partition(of: "b")].pending, 1)
        let known = [PartitionLag(partition: late, waiting: 2, pending: 1, age: .milliseconds(1_500), owner: "w")]
        let text = known.prometheus(stream: "s", group: "g\"")
        XCTAssertTrue(
            text.contains("headgate_partition_waiting_entries{stream=\"s\",group=\"g\\\"\",partition=\"\(late)\"} 2\n"))
        XCTAssertEqual(text.split(separator: "\n").count { $0.hasPrefix("# TYPE") }, 4)
        subscriber.cancel()
        lags.cancel()
    }

    func test_deliveriesOfPartitionsKeepToTheContract() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 2)
        try server.add([("a", 1), ("b", 2), ("c", 3)], to: partitions)
        var effort = HeadgateVerification.Effort.normal
        effort.systematicScripts = 20
        effort.randomScripts = 3
        effort.timeout = 200
        let deliveries = partitions.deliveries(
            group: "g", worker: "w", lease: .seconds(1), retryingAfter: .seconds(60), handingOverWithin: .zero)
        verify(
            publisher: deliveries.map(\.number).prefix(3),
            [.finite, .asynchronous, .holdsSubscribers, .leavesValuesOut], effort: effort
        )
        .check { XCTFail($0, file: $1, line: $2) }
    }
}
