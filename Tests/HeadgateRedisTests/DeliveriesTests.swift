import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

final class DeliveriesTests: RedisTestCase {
    private func options() -> RedisOptions {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(5), retries: nil)
        return options
    }

    /// A server with a stream `s` of numbered entries.
    private func server(_ count: Int) throws -> RealServer {
        let server = try RealServer.shared()
        for number in 0..<count { try add(number, server) }
        return server
    }

    private func add(_ number: Int, _ server: RealServer) throws {
        try server.makeRequest("XADD", "s", "*", "n", Bytes("\(number)"))
    }

    private func deliveries(
        _ redis: Redis, _ consumer: Bytes = "a", after: Duration? = nil, limit: DeliveryLimit = .unlimited,
        lost: LostGroupPolicy = .createAgain
    ) -> AnyPublisher<Delivery, RedisError> {
        redis.stream("s").deliveries(
            group: "g", consumer: consumer, takeOverAfter: after, deliveries: limit, whenGroupIsLost: lost)
    }

    private func numbers(_ values: [Delivery]) -> [Int] {
        values.compactMap { $0.fields.text("n").flatMap { Int($0) } }
    }

    func test_deliversWhatIsRequestedAndNoMore() throws {
        let server = try server(10)
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.none)
        deliveries(Redis(server.url)).subscribe(subscriber)
        XCTAssertEqual(try server.makeRequest("EXISTS", "s"), .integer(1))
        XCTAssertEqual(try server.makeRequest("XINFO", "GROUPS", "s"), .array([]))
        for requested in 1...4 {
            subscriber.request(.max(1))
            subscriber.count(requested)
            XCTAssertEqual(try server.pending("s", "g"), requested)
        }
        subscriber.request(.max(100))
        subscriber.count(10)
        XCTAssertEqual(numbers(subscriber.values), Array(0..<10))
        XCTAssertTrue(subscriber.values.allSatisfy { $0.count == 1 && $0.isHeld && $0.takenFrom == nil })
        try add(10, server)
        subscriber.count(11)
        subscriber.cancel()
        XCTAssertEqual(try server.pending("s", "g"), 11)
    }

    func test_acknowledgesInBatchesAndAtTheEnd() throws {
        let server = try server(1_000)
        let redis = Redis(server.url)
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        deliveries(redis).prefix(1_000).acknowledge(within: .seconds(1_000)).subscribe(subscriber)
        XCTAssertEqual(subscriber.ending(), .finished)
        XCTAssertEqual(subscriber.values.count, 1_000)
        XCTAssertEqual(subscriber.values, subscriber.values.sorted())
        XCTAssertEqual(try server.pending("s", "g"), 0)
        let calls = try XCTUnwrap(server.makeRequest("INFO", "commandstats").text)
        let line = try XCTUnwrap(calls.split(separator: "\r\n").first { $0.hasPrefix("cmdstat_xack:") })
        XCTAssertTrue(line.hasPrefix("cmdstat_xack:calls=10,"), "\(line)")
    }

    func test_acknowledgesOneByOneWithoutWaiting() throws {
        let server = try server(5)
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.none)
        // The time never passes: nothing further is requested, so a batch does not wait for it.
        deliveries(Redis(server.url)).acknowledge(within: .seconds(1_000)).subscribe(subscriber)
        for number in 1...5 {
            subscriber.request(.max(1))
            subscriber.count(number)
            XCTAssertEqual(try server.pending("s", "g"), 0)
        }
        subscriber.cancel()
    }

    func test_whatIsPendingComesFirstAtTheNextStart() throws {
        let server = try server(6)
        let redis = Redis(server.url)
        let first = TestSubscriber<Delivery, RedisError>.checked(.first(4))
        deliveries(redis).subscribe(first)
        first.count(4)
        first.cancel()
        let second = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        deliveries(redis).subscribe(second)
        second.count(6)
        XCTAssertEqual(numbers(second.values), Array(0..<6))
        XCTAssertEqual(second.values.map(\.count), [2, 2, 2, 2, 1, 1])
        XCTAssertEqual(second.values[0].takenFrom, "a")
        second.cancel()
    }

    func test_manyPendingOnesComeOneByOne() throws {
        let server = try RealServer.shared()
        let redis = Redis(server.url)
        let adding = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        (0..<350).map { ["n": Bytes("\($0)")] as EntryFields }.publisher.add(to: redis.stream("s")).subscribe(adding)
        adding.ending()
        let first = TestSubscriber<Delivery, RedisError>.checked(.first(350))
        deliveries(redis).subscribe(first)
        first.count(350)
        first.cancel()
        let second = TestSubscriber<Delivery, RedisError>.checked(.oneByOneReentrantly)
        deliveries(redis).subscribe(second)
        second.count(350)
        XCTAssertEqual(numbers(second.values), Array(0..<350))
        XCTAssertTrue(second.values.allSatisfy { $0.count == 2 })
        second.cancel()
    }

    func test_aLivingConsumerTakesOverFromADeadOne() throws {
        let server = try server(5)
        // One that has read and died.
        try server.makeRequest("XGROUP", "CREATE", "s", "g", "0")
        try server.makeRequest("XREADGROUP", "GROUP", "g", "dead", "COUNT", "3", "STREAMS", "s", ">")
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        deliveries(Redis(server.url), after: .milliseconds(300)).subscribe(subscriber)
        subscriber.count(5)
        XCTAssertEqual(numbers(subscriber.values), [3, 4, 0, 1, 2])
        XCTAssertEqual(subscriber.values.map(\.count), [1, 1, 2, 2, 2])
        XCTAssertEqual(subscriber.values[2].takenFrom, "dead")
        subscriber.cancel()
    }

    func test_slowWorkIsNotTakenOver() throws {
        let server = try server(3)
        let redis = Redis(server.url)
        let slow = TestSubscriber<Delivery, RedisError>.checked(.first(3))
        deliveries(redis, "slow", after: .milliseconds(200)).subscribe(slow)
        slow.count(3)
        let other = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        deliveries(redis, "other", after: .milliseconds(200)).subscribe(other)
        // Until they have been renewed several times, even after the stream has been cancelled.
        try renewals(server, 3)
        slow.cancel()
        try renewals(server, 6)
        XCTAssertTrue(other.values.isEmpty)
        XCTAssertTrue(slow.values.allSatisfy(\.isHeld))
        other.cancel()
    }

    private func renewals(_ server: RealServer, _ count: Int) throws {
        eventually("\(count) renewals") {
            let calls = (try? server.makeRequest("INFO", "commandstats").text) ?? ""
            let line = calls.split(separator: "\r\n").first { $0.hasPrefix("cmdstat_eval:calls=") } ?? ""
            return (Int(line.dropFirst(19).prefix { $0 != "," }) ?? 0) >= count
        }
    }

    func test_whatIsReleasedWithoutAcknowledgementComesAgain() throws {
        let server = try server(3)
        let counts = Guarded<[Int: [Int]]>([:])
        let done = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        deliveries(Redis(server.url), after: .milliseconds(100))
            .filter { delivery in
                let number = Int(delivery.fields.text("n")!)!
                counts.withLock { $0[number, default: []].append(delivery.count) }
                // Work on the second fails twice.
                return number != 1 || delivery.count == 3
            }
            .acknowledge().subscribe(done)
        done.count(3)
        XCTAssertEqual(counts.withLock { $0 }, [0: [1], 1: [1, 2, 3], 2: [1]])
        XCTAssertEqual(try server.pending("s", "g"), 0)
        done.cancel()
    }

    func test_movesWhatIsDeliveredTooOften() throws {
        let server = try server(3)
        let redis = Redis(server.url)
        let done = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        deliveries(redis, after: .milliseconds(50), limit: .atMost(3, then: redis.stream("dead")))
            .filter { $0.fields["n"] != "1" }
            .acknowledge().subscribe(done)
        eventually("the entry has been moved") { (try? server.number("XLEN", "dead")) == 1 }
        XCTAssertEqual(try server.pending("s", "g"), 0)
        let entry = try XCTUnwrap(server.makeRequest("XRANGE", "dead", "-", "+").elements?.first?.elements?[1].elements)
        let fields = EntryFields(entry.indices.filter { $0 % 2 == 0 }.map { (entry[$0].bytes!, entry[$0 + 1].bytes!) })
        XCTAssertEqual(fields["n"], "1")
        XCTAssertEqual(fields["headgate-count"], "3")
        XCTAssertEqual(fields["headgate-consumer"], "a")
        XCTAssertNotNil(fields.text("headgate-id").flatMap { EntryID($0) })
        done.cancel()
    }

    func test_deliversWhatIsTooLargeToBeMovedAgain() throws {
        let server = try server(0)
        try server.makeRequest(["XADD", "s", "*"] + (0..<4000).flatMap { [Bytes("\($0)"), "value"] })
        let redis = Redis(server.url)
        let subscriber = TestSubscriber<Int, RedisError>.checked(.unlimited)
        deliveries(redis, after: .milliseconds(50), limit: .atMost(1, then: redis.stream("dead")))
            .map(\.count).subscribe(subscriber)
        subscriber.count(3)
        XCTAssertEqual(subscriber.values.prefix(3), [1, 2, 3])
        XCTAssertEqual(try server.number("XLEN", "dead"), 0)
        subscriber.cancel()
    }

    func test_reportsWhatHasBeenLost() throws {
        let server = try server(2)
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        deliveries(Redis(server.url), after: .milliseconds(900)).subscribe(subscriber)
        subscriber.count(2)
        try server.makeRequest("XCLAIM", "s", "g", "thief", "0", subscriber.values[0].id.description.bytes)
        eventually("the loss is told") { !subscriber.values[0].isHeld }
        XCTAssertTrue(subscriber.values[1].isHeld)
        // Renewing has not taken it back.
        let rows = try XCTUnwrap(server.makeRequest("XPENDING", "s", "g", "-", "+", "10", "thief").elements)
        XCTAssertEqual(rows.count, 1)
        subscriber.cancel()
    }

    func test_createsALostGroupAgain() throws {
        let server = try server(2)
        let redis = Redis(server.url)
        let events = TestSubscriber<RedisEvent, Never>(.unlimited)
        redis.events.subscribe(events)
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        deliveries(redis).subscribe(subscriber)
        subscriber.count(2)
        try server.makeRequest("XGROUP", "DESTROY", "s", "g")
        subscriber.count(4)
        XCTAssertEqual(numbers(subscriber.values), [0, 1, 0, 1])
        try server.makeRequest("FLUSHALL")
        eventually("the group is there again") {
            (try? server.makeRequest("XINFO", "GROUPS", "s").elements?.count) == 1
        }
        try add(7, server)
        subscriber.count(5)
        XCTAssertEqual(numbers(subscriber.values).last, 7)
        // What was delivered by a group that is lost may be done twice.
        XCTAssertEqual(subscriber.values.map(\.isHeld), [false, false, false, false, true])
        XCTAssertEqual(events.values.filter { $0 == .groupLost(stream: "s", group: "g") }.count, 2)
        subscriber.cancel()
    }

    func test_failsForALostGroupByChoice() throws {
        let server = try server(1)
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        deliveries(Redis(server.url), lost: .fail).subscribe(subscriber)
        subscriber.count(1)
        try server.makeRequest("XGROUP", "DESTROY", "s", "g")
        guard case .groupLost = subscriber.ending()?.failure?.reason else {
            return XCTFail("\(String(describing: subscriber.completion))")
        }
    }

    func test_reportsEntriesThatAreGone() throws {
        let server = try server(3)
        try server.makeRequest("XGROUP", "CREATE", "s", "g", "0")
        let read = try server.makeRequest("XREADGROUP", "GROUP", "g", "a", "COUNT", "2", "STREAMS", "s", ">")
        let id = try XCTUnwrap(read.elements?[0].elements?[1].elements?[0].elements?[0].bytes)
        try server.makeRequest("XDEL", "s", id)
        let redis = Redis(server.url)
        let events = TestSubscriber<RedisEvent, Never>(.unlimited)
        redis.events.subscribe(events)
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        deliveries(redis).subscribe(subscriber)
        subscriber.count(2)
        XCTAssertEqual(numbers(subscriber.values), [1, 2])
        XCTAssertTrue(events.values.contains(.entryGone(stream: "s", id: EntryID(id)!)))
        subscriber.cancel()
    }

    /// What the server has delivered into a connection that is cut comes again; what this process has, does not.
    func test_deliversEverythingOnceAndNothingTwiceWhenItsConnectionIsCut() throws {
        let server = try RealServer.shared()
        let redis = Redis(server.url, options: options())
        let adding = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        let count = 5_000
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        deliveries(redis).subscribe(subscriber)
        (0..<count).map { ["n": Bytes("\($0)")] as EntryFields }.publisher.add(to: redis.stream("s"), maxInFlight: 16)
            .subscribe(on: DispatchQueue.global()).subscribe(adding)
        while adding.completion == nil {
            try server.makeRequest("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            let before = adding.values.count
            eventually("it goes on") { adding.completion != nil || adding.values.count > before + 100 }
        }
        let length = try server.number("XLEN", "s")
        subscriber.count(length)
        XCTAssertEqual(Set(subscriber.values.map(\.id)).count, length)
        XCTAssertEqual(subscriber.values.count, length)
        XCTAssertEqual(try server.pending("s", "g"), length)
        subscriber.cancel()
    }

    func test_cancellingClosesTheConnection() throws {
        let server = try server(1)
        let redis = Redis(server.url)
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        deliveries(redis).subscribe(subscriber)
        subscriber.count(1)
        eventually("it waits at the server") {
            (try? server.makeRequest("INFO", "clients").text?.contains("blocked_clients:1")) == true
        }
        subscriber.cancel()
        eventually("it is gone") {
            (try? server.makeRequest("INFO", "clients").text?.contains("blocked_clients:0")) == true
        }
        try add(1, server)
        XCTAssertEqual(try server.pending("s", "g"), 1)
    }

    func test_aShutdownAcknowledgesWhatIsUnderWay() async throws {
        let server = try server(50)
        let signals = PassthroughSubject<Signal, Never>()
        let shutdown = GracefulShutdown(on: signals.eraseToAnyPublisher(), deadline: .seconds(20))
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        let delivered = Guarded(0)
        deliveries(Redis(server.url)).stopped(by: shutdown.stop)
            .handleEvents(receiveOutput: { _ in delivered.withLock { $0 += 1 } })
            .acknowledge(batch: 1_000, within: .seconds(1_000)).underWay(in: shutdown).subscribe(subscriber)
        eventually("all are delivered") { delivered.withLock { $0 } == 50 }
        signals.send(.terminate)
        let ending = await shutdown.ending()
        XCTAssertEqual(ending, .drained)
        XCTAssertEqual(subscriber.completion, .finished)
        XCTAssertEqual(subscriber.values.count, 50)
        XCTAssertEqual(try server.pending("s", "g"), 0)
    }
}

extension String {
    var bytes: Bytes { Bytes(self) }
}
