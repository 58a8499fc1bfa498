import Foundation
import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

/// Commands and streams on a cluster, whose slots move and whose nodes fail.
final class ClusterTests: XCTestCase {
    private nonisolated(unsafe) static var shared: TestCluster?

    override class func tearDown() {
        shared = nil
        super.tearDown()
    }

    /// The cluster that tests share, without a trace of earlier ones.
    private func makeCluster() throws -> TestCluster {
        let cluster = try Self.shared ?? TestCluster()
        Self.shared = cluster
        for node in cluster.nodes where !node.isRunning { try node.start() }
        cluster.waitUntilWhole()
        for master in cluster.masters { cluster.nodes[master].makeRequest("FLUSHALL") }
        return cluster
    }

    // MARK: - Commands

    func test_findsTheNodeOfEachKey() throws {
        let cluster = try makeCluster()
        let redis = cluster.redis()
        for number in 0..<50 {
            XCTAssertEqual(
                outcome(redis.command("SET", Bytes("k\(number)"), Bytes("\(number)"))).values, [.status("OK")])
        }
        for number in 0..<50 {
            let key = Bytes("k\(number)")
            XCTAssertEqual(outcome(redis.command("GET", key)).values.first?.text, "\(number)")
            XCTAssertEqual(cluster.node(of: key).makeRequest("GET", key)?.text, "\(number)")
        }
        XCTAssertEqual(outcome(redis.command("PING")).values, [.status("PONG")])
        XCTAssertEqual(
            outcome(redis.command("eval", "return redis.call('GET', KEYS[1])", "1", "k7")).values.first?.text, "7")
        XCTAssertEqual(outcome(redis.command("OBJECT", "ENCODING", "k7")).values.first?.text, "int")
        // Whose key is not where most have it: the node that is asked names another.
        XCTAssertNil(outcome(redis.command("GEORADIUS", "k1000", "0", "0", "1", "km")).error)
    }

    /// No node is asked for a key that another one has.
    func test_asksTheRightNodeAtOnce() throws {
        let cluster = try makeCluster()
        let redis = cluster.redis()
        for node in cluster.nodes { node.makeRequest("CONFIG", "RESETSTAT") }
        let keys: [Bytes] = ["a", "{tag}x", "{}x", "a{b", "x{y}z{w}", "x{{y}}", "{x", "é{ü}", "}{z}"]
        for key in keys {
            let commands: [[Bytes]] = [
                ["DEL", key], ["XADD", key, "*", "n", "1"], ["XGROUP", "CREATE", key, "g", "0"],
                ["XINFO", "STREAM", key],
                ["xreadgroup", "GROUP", "g", "c", "COUNT", "1", "streams", key, ">"], ["XREAD", "STREAMS", key, "0"],
                ["EVAL", "return redis.call('XLEN', KEYS[1])", "1", key, "x"], ["OBJECT", "ENCODING", key],
                ["DEL", key],
                ["BITOP", "NOT", key, key], ["ZADD", key, "1", "m"], ["ZUNION", "1", key],
            ]
            for command in commands {
                let error = outcome(redis.command(command)).error
                XCTAssertNil(error, "\(command)")
            }
            _ = outcome(redis.transaction([["DEL", key], ["SET", key, "1"]]))
        }
        for command: [Bytes] in [["PING"], ["TIME"], ["DBSIZE"], ["EVAL", "return 1", "0"], ["PUBLISH", "a", "b"]] {
            XCTAssertNil(outcome(redis.command(command)).error, "\(command)")
        }
        for node in cluster.nodes {
            let errors = node.makeRequest("INFO", "errorstats")?.text ?? ""
            XCTAssertFalse(errors.contains("MOVED"), errors)
        }
    }

    func test_followsASlotThatMoves() throws {
        let cluster = try makeCluster()
        let redis = cluster.redis()
        XCTAssertEqual(outcome(redis.command("SET", "{s}a", "1")).values, [.status("OK")])
        XCTAssertEqual(outcome(redis.command("SET", "{s}b", "2")).values, [.status("OK")])
        let slot = cluster.slot(of: "{s}a")
        let source = cluster.owner(of: slot)
        let target = try XCTUnwrap(cluster.masters.first { $0 != source })
        cluster.open(slot, from: source, to: target)
        cluster.migrate("{s}a", from: source, to: target)
        // One key has moved, one has not, and one is new.
        XCTAssertEqual(outcome(redis.command("GET", "{s}a")).values.first?.text, "1")
        XCTAssertEqual(outcome(redis.command("GET", "{s}b")).values.first?.text, "2")
        XCTAssertEqual(outcome(redis.command("SET", "{s}c", "3")).values, [.status("OK")])
        XCTAssertEqual(cluster.nodes[source].makeRequest("EXISTS", "{s}b"), .integer(1))
        // Keys that are not all on one side yet are waited for.
        let both = TestSubscriber<RedisValue, RedisError>.checked(.unlimited)
        redis.command("MGET", "{s}a", "{s}b").subscribe(both)
        let transaction = TestSubscriber<[RedisValue], RedisError>.checked(.unlimited)
        redis.transaction([["INCR", "{s}a"], ["GET", "{s}a"]]).subscribe(transaction)
        XCTAssertEqual(transaction.ending(), .finished)
        XCTAssertEqual(transaction.values, [[.integer(2), .string("2")]])
        XCTAssertNil(both.completion)
        cluster.migrate("{s}b", from: source, to: target)
        cluster.close(slot, at: target)
        XCTAssertEqual(both.ending(), .finished)
        XCTAssertEqual(both.values.first?.elements?.map(\.text), ["2", "2"])
        XCTAssertEqual(outcome(redis.command("GET", "{s}c")).values.first?.text, "3")
        XCTAssertEqual(
            outcome(redis.transaction([["INCR", "{s}a"], ["INCR", "{s}b"]])).values, [[.integer(3), .integer(3)]])
        cluster.move(slot, to: source)
        XCTAssertEqual(
            outcome(redis.transaction([["INCR", "{s}a"], ["INCR", "{s}b"]])).values, [[.integer(4), .integer(4)]])
    }

    func test_keysOfTwoSlotsAreAFailure() throws {
        let cluster = try makeCluster()
        let redis = cluster.redis()
        for error in [
            outcome(redis.command("MGET", "a", "b")).error,
            outcome(redis.transaction([["INCR", "a"], ["INCR", "b"]])).error,
            outcome(redis.transaction([["MSET", "a", "1", "b", "1"]])).error,
            outcome(
                redis.stream("s").deliveries(group: "g", consumer: "c", deliveries: .atMost(1, then: redis.stream("t")))
            ).error,
        ] {
            guard case .differentSlots = error?.reason else { XCTFail("\(String(describing: error))"); continue }
            XCTAssertTrue("\(error!)".contains("{orders}"), "\(error!)")
        }
        guard case .refused = outcome(redis.command("WAIT", "1", "0")).error?.reason else { return XCTFail() }
    }

    func test_anAddressThatIsNoClusterIsAFailure() throws {
        for url in ["redis-cluster://", "redis-cluster://,a", "redis-cluster://a/1", "redis-cluster://a:0"] {
            guard case .address = outcome(Redis(url).command("PING")).error?.reason else { XCTFail(url); continue }
        }
        let server = try PortServer()
        let url = "redis-cluster://127.0.0.1:\(server.port)"
        for error in [
            outcome(Redis(url).command("GET", "k")).error,
            outcome(Redis(url).stream("s").entries(from: .beginning)).error.map { $0 },
            outcome(
                ["1"].publisher.map { ["n": Bytes($0)] as EntryFields }.add(to: Redis(url).stream("s"))
                    .eraseToAnyPublisher()
            )
            .error,
        ] {
            XCTAssertEqual(error?.code, "ERR")
            XCTAssertTrue("\(String(describing: error))".contains("redis://"), "\(String(describing: error))")
        }
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(1), retries: 2)
        let error = outcome(Redis("redis-cluster://127.0.0.1:1,127.0.0.1:2", options: options).command("GET", "k"))
            .error
        guard case .noNode(let words) = error?.reason else { return XCTFail("\(String(describing: error))") }
        XCTAssertTrue(words.contains("127.0.0.1:1") && words.contains("127.0.0.1:2"), words)
    }

    func test_messagesComeThroughAnyNode() throws {
        let cluster = try makeCluster()
        let redis = cluster.redis()
        let messages = TestSubscriber<MessageEvent, RedisError>.checked(.unlimited)
        redis.messages(channels: ["news"]).subscribe(messages)
        eventually("it listens") {
            cluster.nodes.contains { $0.makeRequest("PUBSUB", "NUMSUB", "news")?.elements?.last?.integer == 1 }
        }
        for number in 0..<3 { _ = outcome(redis.command("PUBLISH", "news", Bytes("\(number)"))) }
        messages.count(3)
        messages.cancel()
    }

    // MARK: - Streams

    /// Runs a producer and a consumer of one stream, and disturbs them.
    private func run(
        _ cluster: TestCluster, _ key: Bytes, _ count: Int, choosing: Bool = true, disturb: (Redis) throws -> Void
    ) throws {
        let redis = cluster.redis()
        let stream = redis.stream(key)
        let order = Guarded<[Int]>([])
        let done = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        stream.deliveries(group: "g", consumer: "c", takeOverAfter: .seconds(30))
            .handleEvents(receiveOutput: { delivery in
                order.withLock { $0.append(Int(String(delivery.fields["n"]!)) ?? -1) }
            })
            .acknowledge(batch: 16, within: .milliseconds(1)).subscribe(done)
        let adding = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        let id: @Sendable (EntryFields) -> EntryID = { EntryID((UInt64(String($0["n"]!)) ?? 0) + 1) }
        (0..<count).publisher
            .rateLimit(40, per: .milliseconds(10), scheduler: DispatchQueue.global())
            .map { ["n": Bytes("\($0)")] as EntryFields }
            .add(to: stream, id: choosing ? id : nil, maxInFlight: 64)
            .subscribe(adding)
        try disturb(redis)
        XCTAssertEqual(adding.ending(), .finished)
        eventually("all are done") { Set(order.withLock { $0 }).count == count && done.values.count >= count }
        XCTAssertNil(done.completion)
        eventually("nothing is pending") {
            cluster.node(of: key).makeRequest("XPENDING", key, "g")?.elements?.first == .integer(0)
        }
        done.cancel()
        let rows = cluster.node(of: key).makeRequest("XRANGE", key, "-", "+")?.elements ?? []
        let numbers = rows.compactMap { row in row.elements?.last?.elements?.last?.text.flatMap { Int($0) } }
        if choosing { XCTAssertEqual(numbers, Array(0..<count)) }
        // What was added twice comes again; the first of each are in order.
        var seen: Set<Int> = []
        XCTAssertEqual(numbers.filter { seen.insert($0).inserted }, Array(0..<count))
        var delivered: Set<Int> = []
        XCTAssertEqual(order.withLock { $0 }.filter { delivered.insert($0).inserted }, Array(0..<count))
    }

    func test_streamsKeepTheirOrderWhileSlotsMove() throws {
        let cluster = try makeCluster()
        for choosing in [true, false] {
            let key: Bytes = choosing ? "moving" : "going"
            let slot = cluster.slot(of: key)
            try run(cluster, key, 4_000, choosing: choosing) { _ in
                for _ in 0..<10 {
                    let source = cluster.owner(of: slot)
                    cluster.move(slot, to: cluster.masters.first { $0 != source } ?? 0)
                }
            }
        }
    }

    func test_streamsGoOnAfterAFailover() throws {
        let cluster = try makeCluster()
        try run(cluster, "failing", 3_000) { _ in
            for _ in 0..<2 { cluster.failOver(cluster.owner(of: cluster.slot(of: "failing"))) }
        }
    }

    /// A master is killed when its replica has what was confirmed.
    func test_streamsGoOnWhenAMasterIsKilled() throws {
        let cluster = try makeCluster()
        let redis = cluster.redis()
        let stream = redis.stream("killed")
        let upstream = PassthroughSubject<Int, Never>()
        let adding = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        upstream.map { ["n": Bytes("\($0)")] as EntryFields }
            .add(to: stream, id: { EntryID((UInt64(String($0["n"]!)) ?? 0) + 1) }, maxInFlight: 1_000).subscribe(adding)
        let done = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        stream.deliveries(group: "g", consumer: "c").acknowledge().subscribe(done)
        for number in 0..<500 { upstream.send(number) }
        adding.count(500)
        done.count(500)
        let master = cluster.owner(of: cluster.slot(of: "killed"))
        cluster.waitForReplica(of: master)
        cluster.nodes[master].kill()
        for number in 500..<1_000 { upstream.send(number) }
        upstream.send(completion: .finished)
        XCTAssertEqual(adding.ending(), .finished)
        done.count(1_000)
        XCTAssertEqual(done.values.map(\.milliseconds), (1...1_000).map { UInt64($0) })
        XCTAssertNil(done.completion)
        done.cancel()
        XCTAssertEqual(cluster.node(of: "killed").makeRequest("XLEN", "killed"), .integer(1_000))
    }
}
