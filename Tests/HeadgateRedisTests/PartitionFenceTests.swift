import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

/// Reads name the fence of the lease: without it, the server reads nothing.
final class PartitionFenceTests: RedisTestCase {
    private func worker(
        _ partitions: RedisPartitions, _ name: Bytes = "w", _ demand: DemandScript = .unlimited,
        lease: Duration = .seconds(10), ordering: PartitionOrdering = .byKey
    ) -> Worker {
        let subscriber = Worker.checked(demand)
        partitions.deliveries(
            group: "g", worker: name, lease: lease, ordering: ordering, handingOverWithin: .seconds(60)
        ).subscribe(subscriber)
        return subscriber
    }

    private func fences(_ server: RealServer) -> [Bytes] {
        (try? server.makeRequest("KEYS", "*:lease:g:*").elements)?.compactMap(\.bytes) ?? []
    }

    /// Waits until the worker owns all partitions, has read what there was, and waits at the server.
    private func waitForReads(_ server: RealServer, _ partitions: RedisPartitions) {
        eventually("it owns all") {
            (try? server.makeRequest("KEYS", "*:last:g").elements?.count) == partitions.count
                && self.fences(server).count >= partitions.count
        }
        eventually("it reads") { server.calls("xreadgroup") > 0 }
        server.waitForBlocked(1)
    }

    /// An owner that has been stopped, and does not know that another has the partition.
    func test_anOwnerWhoseLeaseIsAnothersReadsNothing() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 1)
        let events = TestSubscriber<PartitionEvent, Never>(.unlimited)
        partitions.events.subscribe(events)
        let subscriber = worker(partitions)
        waitForReads(server, partitions)
        let fence = try XCTUnwrap(fences(server).first)
        try server.makeRequest("DEL", fence)
        try server.makeRequest("SET", "s:{0}:lease:g", "9999999999999 1 ghost", "PX", "1000")
        try server.add([("a", 1)], to: partitions)
        eventually("it is known") {
            events.values.contains { $0.what == .lost(partition: 0, .takenOver(by: "ghost")) }
        }
        XCTAssertEqual(try server.pending(partitions, "g"), 0)
        XCTAssertEqual(subscriber.values.count, 0)
        subscriber.count(1)
        XCTAssertEqual(subscriber.values[0].count, 1)
        subscriber.cancel()
    }

    /// Whoever takes a partition removes the fence of the owner before, whatever time that has left.
    func test_theNextOwnerRemovesTheFenceOfTheOneBefore() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 1)
        try server.makeRequest("SET", "s:{0}:last:g", "5 held dead")
        try server.makeRequest("XGROUP", "CREATE", "s:{0}:lease:g:5", "g", "$", "MKSTREAM")
        let subscriber = worker(partitions)
        eventually("it is owned") { (try? server.number("EXISTS", "s:{0}:lease:g")) == 1 }
        XCTAssertEqual(try server.number("EXISTS", "s:{0}:lease:g:5"), 0)
        let fence = try XCTUnwrap(fences(server).first)
        let time = (try server.number("PTTL", fence), try server.number("PTTL", "s:{0}:lease:g"))
        XCTAssertGreaterThan(time.0, 5_000)
        XCTAssertLessThanOrEqual(time.0, time.1 + 1_000)
        subscriber.cancel()
    }

    /// Somebody deletes a fence, or puts something else in its place: the owner makes it again, and goes on with its token.
    func test_aFenceThatIsGoneIsMadeAgain() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 3)
        let events = TestSubscriber<PartitionEvent, Never>(.unlimited)
        partitions.events.subscribe(events)
        let subscriber = worker(partitions)
        subscriber.count(0)
        waitForReads(server, partitions)
        let owned = events.values.count
        let damages: [(Bytes) throws -> Void] = [
            { try server.makeRequest("DEL", $0) },
            { try server.makeRequest("XGROUP", "DESTROY", $0, "g") },
            {
                try server.makeRequest("DEL", $0)
                try server.makeRequest("SET", $0, "no stream")
            },
        ]
        for (number, damage) in damages.enumerated() {
            for fence in fences(server) { try damage(fence) }
            let start = ContinuousClock.now
            try server.add([("a", number), ("b", number), ("c", number), ("d", number)], to: partitions)
            subscriber.count(4 * (number + 1))
            // The next renewal by the clock would come later.
            XCTAssertLessThan(ContinuousClock.now - start, .seconds(2.5))
            XCTAssertEqual(acknowledge(Array(subscriber.values.suffix(4))).count, 4)
            waitForReads(server, partitions)
        }
        XCTAssertEqual(events.values.count, owned)
        XCTAssertTrue(subscriber.values.allSatisfy { $0.count == 1 })
        // It asks once, and not until it is answered.
        XCTAssertLessThan(server.calls("xreadgroup"), 60)
        subscriber.cancel()
    }

    /// What is read is pending: never more than is requested, however much there is and comes.
    func test_readsNoMoreThanIsRequested() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 64)
        for ordering in [PartitionOrdering.byKey, .asRead] {
            try server.makeRequest("FLUSHALL")
            let adding = (0..<20_000).publisher
                .add(to: partitions, by: { Bytes("k\($0)") }) { ["n": Bytes("\($0)")] }
                .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
            let subscriber = worker(partitions, "w", .first(1), lease: .seconds(2), ordering: ordering)
            var requested = 1
            for count in [0, 3, 7, 1, 3, 7, 1, 64, 200, 1, 7, 3] {
                subscriber.request(.max(count))
                requested += count
                XCTAssertLessThanOrEqual(try server.pending(partitions, "g"), requested)
                subscriber.count(requested)
                XCTAssertEqual(try server.pending(partitions, "g"), requested)
            }
            server.waitForBlocked(0)
            XCTAssertEqual(try server.pending(partitions, "g"), requested)
            XCTAssertEqual(Set(subscriber.values.map(\.number)).count, requested)
            subscriber.cancel()
            _ = acknowledge(subscriber.values)
            eventually("it has left") { (try? server.makeRequest("KEYS", "*:lease:*").elements?.count) == 0 }
            adding.cancel()
        }
    }

    /// Threads request while what has been requested before is read and handed out.
    func test_readsNoMoreThanSeveralThreadsRequest() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 4)
        try server.add((0..<4000).map { (Bytes("k\($0)"), $0) }, to: partitions)
        func check(_ subscriber: Worker, _ pending: () throws -> Int) throws {
            var requested = 1
            for _ in 0..<150 {
                onThreads(3) { _ in for _ in 0..<3 { subscriber.request(.max(2)) } }
                requested += 18
                subscriber.count(requested)
                XCTAssertEqual(try pending(), requested)
            }
            subscriber.cancel()
        }
        try check(worker(partitions, "w", .first(1), ordering: .asRead)) { try server.pending(partitions, "g") }
        let stream = Redis(server.url).stream("t")
        for number in 0..<4000 { try server.makeRequest("XADD", "t", "*", "n", Bytes("\(number)")) }
        let subscriber = Worker.checked(.first(1))
        stream.deliveries(group: "g", consumer: "c").subscribe(subscriber)
        try check(subscriber) { try server.pending("t", "g") }
    }

    /// The reply to a read is lost after the server has executed it, or before, and the server executes it late: what it
    /// has read is delivered as if it had been read the first time, and in its place.
    func test_aReplyThatIsLostRepeatsNothing() throws {
        for late in [true, false] {
            let server = try RealServer.shared()
            let proxy = try Proxy(to: server) { number in
                if number > 50 { return (.none, .none) }
                return late ? (.late(after: 400 + number * 37), .unnoticed) : (.none, .cut(after: 500 + number * 41))
            }
            var options = RedisOptions()
            options.retrying = .constant(.milliseconds(1), retries: nil)
            let partitions = Redis(proxy.url, options: options).partitions("s", count: 8)
            try server.add((0..<400).map { (Bytes("k\($0 % 16)"), $0) }, to: partitions)
            let seen = Guarded<[HeadgateRedis.Delivery]>([])
            let done = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
            partitions.deliveries(group: "g", worker: "w", lease: .seconds(10), ordering: .asRead)
                .handleEvents(receiveOutput: { delivery in seen.withLock { $0.append(delivery) } })
                .acknowledge(batch: 3, within: .milliseconds(1)).subscribe(done)
            done.count(400)
            let all = seen.withLock { $0 }
            XCTAssertEqual(all.map(\.number).sorted(), Array(0..<400))
            XCTAssertEqual(Set(all.map(\.count)), [1])
            XCTAssertTrue(all.allSatisfy { $0.takenFrom == nil })
            for partition in 0..<8 {
                let some = all.filter { $0.partition == partition }.map(\.number)
                XCTAssertEqual(some, some.sorted())
            }
            XCTAssertEqual(try server.pending(partitions, "g"), 0)
            done.cancel()
            proxy.close()
        }
    }

    /// A worker leaves while the reply to a read is under way: the next owner delivers that for the first time.
    func test_whatWasReadAndNotDeliveredIsNotCounted() throws {
        let server = try RealServer.shared()
        // The replies on the other connection are not as long.
        let proxy = try Proxy(to: server) { _ in (.none, .stall(after: 3_000)) }
        let near = Redis(server.url).partitions("s", count: 1)
        for number in 0..<8 {
            try server.makeRequest(
                "XADD", "s:{0}", "*", "n", Bytes("\(number)"), "x", Bytes(String(repeating: "x", count: 2_000)))
        }
        let first = worker(Redis(proxy.url).partitions("s", count: 1), "first")
        eventually("it has read") { (try? server.pending(near, "g")) ?? 0 > 0 }
        XCTAssertEqual(first.values.count, 0)
        first.cancel()
        let second = worker(near, "second", ordering: .asRead)
        second.count(8)
        XCTAssertEqual(second.values.map(\.number), Array(0..<8))
        XCTAssertEqual(Set(second.values.map(\.count)), [1])
        second.cancel()
        proxy.close()
    }

    /// A partition that is passed on, with the last acknowledgement or without one, leaves no fence.
    func test_releasingLeavesNoFence() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 4)
        try server.add([("a", 1)], to: partitions)
        // Nothing ends by itself while the test waits.
        let subscriber = worker(partitions, lease: .seconds(120))
        subscriber.count(1)
        waitForReads(server, partitions)
        XCTAssertEqual(fences(server).count, 4)
        subscriber.cancel()
        eventually("the others are passed on") { self.fences(server).count == 1 }
        XCTAssertEqual(acknowledge(subscriber.values).count, 1)
        eventually("it is passed on") { self.fences(server).isEmpty }
        XCTAssertEqual(try server.makeRequest("KEYS", "*:lease:*").elements?.count, 0)
    }

    /// Somebody sets the group back, to have everything worked on again: its owner begins again.
    func test_aGroupThatIsSetBackIsReadAgain() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 1)
        try server.add([("a", 1), ("b", 2), ("c", 3)], to: partitions)
        let subscriber = worker(partitions)
        subscriber.count(3)
        _ = acknowledge(subscriber.values)
        waitForReads(server, partitions)
        try server.makeRequest("XGROUP", "SETID", "s:{0}", "g", "0")
        try server.add([("d", 4)], to: partitions)
        subscriber.count(7)
        XCTAssertEqual(subscriber.values.map(\.number), [1, 2, 3, 1, 2, 3, 4])
        XCTAssertEqual(acknowledge(Array(subscriber.values.suffix(4))).count, 4)
        XCTAssertEqual(try server.pending(partitions, "g"), 0)
        subscriber.cancel()
    }
}
