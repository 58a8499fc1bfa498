import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

/// Who owns which partition, when workers come and go.
final class PartitionOwnershipTests: RedisTestCase {
    private let lease = Duration.seconds(1)

    private func worker(
        _ partitions: RedisPartitions, _ name: Bytes, lease: Duration? = nil, handingOverWithin: Duration? = nil
    ) -> Worker {
        let subscriber = Worker.checked(.unlimited)
        partitions.deliveries(
            group: "g", worker: name, lease: lease ?? self.lease, handingOverWithin: handingOverWithin
        )
        .subscribe(subscriber)
        return subscriber
    }

    /// The names of the owners, by the server.
    private func owners(_ server: RealServer, _ partitions: RedisPartitions) -> [String?] {
        (0..<partitions.count).map { partition in
            let lease = try? server.makeRequest("GET", Bytes("\(String(partitions.name)):{\(partition)}:lease:g")).text
            return lease?.split(separator: " ").last.map { String($0) }
        }
    }

    private func shares(_ owners: [String?]) -> [String: Int] {
        Dictionary(owners.compactMap { $0 }.map { ($0, 1) }, uniquingKeysWith: +)
    }

    private func options() -> RedisOptions {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(5), retries: nil)
        return options
    }

    /// Shares are fair within two leases of a change, and as few partitions as possible move.
    func test_partitionsAreSharedFairlyAndFewMove() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 10)
        var workers: [Worker] = []
        var before: [String?] = []
        for number in 1...4 {
            workers.append(worker(partitions, Bytes("w\(number)")))
            let start = ContinuousClock.now
            eventually("\(number) workers share") {
                let shares = self.shares(self.owners(server, partitions))
                return shares.count == number && shares.values.reduce(0, +) == 10
                    && shares.values.max()! - shares.values.min()! <= 1
            }
            XCTAssertLessThan(ContinuousClock.now - start, lease * 2)
            let now = owners(server, partitions)
            let moved = zip(before, now).count { $0 != nil && $0 != $1 }
            if number > 1 { XCTAssertLessThanOrEqual(moved, 10 / number + 1) }
            before = now
        }
        workers.removeFirst().cancel()
        eventually("the others have its share") {
            let shares = self.shares(self.owners(server, partitions))
            return shares.count == 3 && shares.values.reduce(0, +) == 10 && shares["w1"] == nil
        }
        let moved = zip(before, owners(server, partitions)).count { $0 != "w1" && $0 != $1 }
        XCTAssertEqual(moved, 0)
        for worker in workers { worker.cancel() }
        eventually("nobody has any") { self.owners(server, partitions).allSatisfy { $0 == nil } }
    }

    /// A worker that has too many waits for what is under way, so nothing is repeated and the order is kept.
    func test_handsOverWhenNothingIsUnderWay() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 2)
        // In the second partition, which is the one that moves.
        XCTAssertEqual(partitions.partition(of: "a"), 1)
        try server.add([("a", 1), ("a", 2)], to: partitions)
        let events = TestSubscriber<PartitionEvent, Never>(.unlimited)
        partitions.events.subscribe(events)
        let first = worker(partitions, "first", handingOverWithin: .seconds(60))
        first.count(1)
        let second = worker(partitions, "second", handingOverWithin: .seconds(60))
        eventually("it is to be handed over") {
            (try? server.makeRequest("HGET", "s:{partitions}:plan:g", "1"))?.text == "second"
        }
        // Longer than a lease: the one who has it renews it, the other asks again and again.
        let asked = server.calls("pttl")
        eventually("the second asks for it") { server.calls("pttl") > asked + 12 }
        XCTAssertTrue(second.values.isEmpty)
        XCTAssertTrue(first.values[0].isHeld)
        XCTAssertEqual(acknowledge([first.values[0]]).count, 1)
        second.count(1)
        XCTAssertEqual(second.values[0].number, 2)
        XCTAssertEqual(second.values[0].count, 1, "what was read and not handed out was not delivered")
        XCTAssertEqual(first.values.count, 1)
        XCTAssertTrue(
            events.values.contains {
                $0.worker == "first" && $0.what == .handedOver(partition: 1, to: "second", underWay: 0)
            })
        first.cancel()
        second.cancel()
    }

    /// The next owner is told: asking again and again would take minutes here.
    func test_whoHandsOverTellsTheNextOwner() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 2)
        try server.add([("a", 1), ("a", 2)], to: partitions)
        let first = worker(partitions, "first", lease: .seconds(3_600), handingOverWithin: .seconds(3_600))
        first.count(1)
        let asked = server.calls("pttl")
        let second = worker(partitions, "second", lease: .seconds(3_600))
        // What moves has an entry under way.
        eventually("the second asks for it") { server.calls("pttl") > asked }
        XCTAssertEqual(acknowledge([first.values[0]]).count, 1)
        eventually("it has been handed over") {
            if first.values.count == 2 { _ = acknowledge([first.values[1]]) }
            return self.owners(server, partitions)[1] == "second"
        }
        first.cancel()
        second.cancel()
    }

    /// At the end of its stream, a worker keeps what is under way until it is acknowledged, and passes all on.
    func test_leavesWhenNothingIsUnderWay() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 4)
        try server.add([("a", 1), ("a", 2)], to: partitions)
        let first = worker(partitions, "first", handingOverWithin: .seconds(60))
        first.count(1)
        let second = worker(partitions, "second")
        first.cancel()
        eventually("the others are handed over") {
            self.shares(self.owners(server, partitions))["first"] ?? 0 <= 1
        }
        // Longer than a lease: it is renewed.
        let renewals = server.calls("pexpire")
        eventually("it is renewed for longer than a lease") { server.calls("pexpire") > renewals + 12 }
        XCTAssertTrue(first.values[0].isHeld)
        XCTAssertTrue(second.values.isEmpty)
        XCTAssertEqual(acknowledge([first.values[0]]).count, 1)
        second.count(1)
        XCTAssertEqual(second.values[0].number, 2)
        second.cancel()
    }

    /// What is under way for too long is given up, and repeated.
    func test_givesUpWhatIsUnderWayForTooLong() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 1)
        try server.add([("a", 1)], to: partitions)
        let events = TestSubscriber<PartitionEvent, Never>(.unlimited)
        partitions.events.subscribe(events)
        let first = worker(partitions, "first", handingOverWithin: .milliseconds(200))
        first.count(1)
        let second = worker(partitions, "second")
        first.cancel()
        second.count(1)
        XCTAssertFalse(first.values[0].isHeld)
        XCTAssertEqual(second.values[0].count, 2)
        XCTAssertEqual(second.values[0].takenFrom, "first")
        XCTAssertGreaterThan(try XCTUnwrap(second.values[0].token), try XCTUnwrap(first.values[0].token))
        XCTAssertTrue(
            events.values.contains { if case .handedOver(0, _, 1) = $0.what { true } else { false } })
        // Nothing is published for what is refused.
        XCTAssertEqual(acknowledge([first.values[0]]), [])
        XCTAssertEqual(try server.pending(partitions, "g"), 1)
        second.cancel()
    }

    /// A worker that is out of touch can do nothing any more, and knows it before another owns its partitions.
    func test_aWorkerThatIsOutOfTouchIsFenced() throws {
        let server = try RealServer.shared()
        let proxy = try Proxy(to: server)
        let away = Redis(proxy.url, options: options()).partitions("s", count: 2)
        let near = Redis(server.url).partitions("s", count: 2)
        try server.add([("a", 1), ("a", 2)], to: near)
        let events = TestSubscriber<PartitionEvent, Never>(.unlimited)
        near.events.subscribe(events)
        let first = worker(away, "first")
        first.count(1)
        let second = worker(near, "second")
        // Whichever has the partition: it goes to the second when the first can't be reached.
        proxy.isBlackHole = true
        eventually("the entry is delivered again") {
            second.values.contains { $0.number == 1 } || first.values[0].isHeld == false
        }
        second.count(1)
        XCTAssertFalse(first.values[0].isHeld)
        XCTAssertEqual(second.values[0].number, 1)
        XCTAssertEqual(acknowledge([second.values[0]]).count, 1)
        second.count(2)
        let late = TestSubscriber<EntryID, RedisError>(.unlimited)
        [first.values[0]].publisher.setFailureType(to: RedisError.self).acknowledge().subscribe(late)
        proxy.isBlackHole = false
        XCTAssertEqual(late.ending(), .finished)
        XCTAssertEqual(late.values, [])
        XCTAssertEqual(second.values.map(\.number), [1, 2])
        XCTAssertTrue(second.values[1].isHeld)
        first.cancel()
        second.cancel()
        proxy.close()
    }

    /// The name of a worker that is alive can't be used; that of one that has died, after its lease.
    func test_aNameIsUsedOnce() throws {
        let server = try RealServer.shared()
        let proxy = try Proxy(to: server)
        let partitions = Redis(server.url).partitions("s", count: 2)
        let first = worker(Redis(proxy.url, options: options()).partitions("s", count: 2), "w")
        eventually("it has the name") { (try? server.number("EXISTS", "s:{partitions}:live:1:g:w")) == 1 }
        let second = worker(partitions, "w")
        XCTAssertEqual(second.ending()?.failure?.reason, .workerInUse("w"))
        XCTAssertNil(first.completion)
        proxy.isBlackHole = true
        let third = worker(partitions, "w")
        try server.add([("a", 1)], to: partitions)
        third.count(1)
        proxy.isBlackHole = false
        XCTAssertEqual(first.ending()?.failure?.reason, .workerInUse("w"))
        XCTAssertNil(third.completion)
        third.cancel()
        proxy.close()
    }

    /// While the server's memory is full, what is owned remains so, and is acknowledged.
    func test_ownershipIsRenewedWhileMemoryIsFull() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url, options: options()).partitions("s", count: 2)
        try server.add([("a", 1), ("a", 2)], to: partitions)
        let worker = worker(partitions, "w")
        worker.count(1)
        try server.makeRequest("CONFIG", "SET", "maxmemory", "1")
        defer { _ = try? server.makeRequest("CONFIG", "SET", "maxmemory", "0") }
        let renewals = server.calls("pexpire")
        eventually("it is renewed for longer than a lease") { server.calls("pexpire") > renewals + 14 }
        XCTAssertTrue(worker.values[0].isHeld)
        XCTAssertEqual(acknowledge(worker.values).count, 1)
        worker.count(2)
        worker.cancel()
    }

    /// A server that has lost its data: all is made again, with tokens above those before.
    func test_goesOnWithAServerThatHasLostItsData() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url, options: options()).partitions("s", count: 2)
        try server.add([("a", 1)], to: partitions)
        let worker = worker(partitions, "w")
        worker.count(1)
        try server.makeRequest("FLUSHALL")
        try server.add([("a", 2)], to: partitions)
        worker.count(2)
        XCTAssertEqual(worker.values[1].number, 2)
        XCTAssertGreaterThan(try XCTUnwrap(worker.values[1].token), try XCTUnwrap(worker.values[0].token))
        XCTAssertFalse(worker.values[0].isHeld)
        eventually("the number of partitions is stored") { (try? server.number("GET", "s:{partitions}")) == 2 }
        worker.cancel()
    }

    /// A worker whose process is killed, with another that waits.
    func test_aDeadWorkersPartitionsAreTakenOver() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 4)
        // What a worker leaves that dies at once.
        try server.makeRequest("SET", "s:{partitions}:live:1:g:dead", "1", "PX", "700")
        try server.makeRequest("SADD", "s:{partitions}:workers:g", "dead")
        for partition in 0..<4 {
            try server.makeRequest("SET", Bytes("s:{\(partition)}:lease:g"), "5 1 dead", "PX", "900")
            try server.makeRequest("SET", Bytes("s:{\(partition)}:last:g"), "5 held dead")
        }
        let events = TestSubscriber<PartitionEvent, Never>(.unlimited)
        partitions.events.subscribe(events)
        let start = ContinuousClock.now
        let worker = worker(partitions, "w")
        eventually("all are owned") { self.shares(self.owners(server, partitions)) == ["w": 4] }
        XCTAssertLessThan(ContinuousClock.now - start, lease * 2)
        eventually("each is said to have been without an owner") {
            Set(events.values.map(\.what).filter { if case .withoutOwner = $0 { true } else { false } })
                == Set((0..<4).map { .withoutOwner(partition: $0, last: "dead") })
        }
        worker.cancel()
    }
}
