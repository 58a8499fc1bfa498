import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

/// How many entries each read has asked for.
private final class Counts: Sendable {
    let asked = Guarded<[Int]>([])
}

/// What takes its time on the way is not lost, and not held twice.
final class LargeEntryTests: RedisTestCase {
    private func redis(_ proxy: Proxy, answeringTime: Duration) -> Redis {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(1), retries: nil)
        options.answeringTime = answeringTime
        return Redis(proxy.url, options: options)
    }

    private func add(_ count: Int, of size: Int, _ server: RealServer) throws {
        let large = Bytes(String(repeating: "x", count: size))
        for number in 0..<count { try server.makeRequest("XADD", "s", "*", "n", Bytes("\(number)"), "large", large) }
    }

    /// Each reply takes several times as long as the server may be silent.
    func test_aReplyThatArrivesIsAnAnswer() throws {
        let server = try RealServer.shared()
        try add(6, of: 400_000, server)
        let proxy = try Proxy(to: server) { _ in (.none, .throttle(2_000_000)) }
        let redis = redis(proxy, answeringTime: .milliseconds(150))
        let reading = TestSubscriber<Entry, RedisError>.checked(.unlimited)
        redis.stream("s").entries(from: .between(EntryID(0), EntryID(.max))).subscribe(reading)
        XCTAssertEqual(reading.ending(), .finished)
        XCTAssertEqual(reading.values.count, 6)
        let done = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        redis.stream("s").deliveries(group: "g", consumer: "c", deliveries: .atMost(1, then: redis.stream("dead")))
            .acknowledge().subscribe(done)
        done.count(6)
        XCTAssertEqual(try server.number("XLEN", "dead"), 0)
        done.cancel()
        let asking = TestSubscriber<RedisValue, RedisError>.checked(.unlimited)
        redis.command("XRANGE", "s", "-", "+").subscribe(asking)
        XCTAssertEqual(asking.ending(), .finished)
        XCTAssertEqual(asking.values.first?.elements?.count, 6)
        // One for each, and none again.
        XCTAssertEqual(proxy.count, 3)
        proxy.close()
    }

    /// What is there of a reply that stops is handed on, however it is read.
    func test_whatHasArrivedIsHandedOn() throws {
        let server = try RealServer.shared()
        try add(4, of: 100_000, server)
        // Two entries, and the half of a third.
        let proxy = try Proxy(to: server) { _ in (.none, .stall(after: 250_000)) }
        let stream = redis(proxy, answeringTime: .seconds(600)).stream("s")
        let reading = TestSubscriber<Entry, RedisError>.checked(.unlimited)
        stream.entries(from: .beginning).subscribe(reading)
        reading.count(2)
        let range = TestSubscriber<Entry, RedisError>.checked(.unlimited)
        stream.entries(from: .between(EntryID(0), EntryID(.max))).subscribe(range)
        range.count(2)
        let new = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        stream.deliveries(group: "g", consumer: "c").subscribe(new)
        new.count(2)
        try server.makeRequest("XGROUP", "CREATE", "s", "h", "0")
        try server.makeRequest("XREADGROUP", "GROUP", "h", "dead", "STREAMS", "s", ">")
        let takenOver = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        stream.deliveries(group: "h", consumer: "c", takeOverAfter: .milliseconds(30)).subscribe(takenOver)
        takenOver.count(2)
        for values in [reading.values.map(\.fields), range.values.map(\.fields), new.values.map(\.fields)] {
            XCTAssertEqual(values.map { $0["n"] }, ["0", "1"])
            XCTAssertEqual(values.map { $0["large"]?.count }, [100_000, 100_000])
        }
        XCTAssertEqual(takenOver.values.map { $0.fields["n"] }, ["0", "1"])
        for subscriber in [reading, range] { subscriber.cancel() }
        for subscriber in [new, takenOver] { subscriber.cancel() }
        proxy.close()
    }

    /// What was handed on before its reply was lost does not come again, and the rest comes as if it came for the first time.
    func test_aReplyThatIsLostGoesOnWhereItWas() throws {
        let server = try RealServer.shared()
        try add(20, of: 100_000, server)
        try server.makeRequest("XGROUP", "CREATE", "s", "h", "0")
        try server.makeRequest("XREADGROUP", "GROUP", "h", "dead", "STREAMS", "s", ">")
        let numbers = (0..<20).map { Bytes("\($0)") }
        let proxy = try Proxy(to: server) { _ in (.none, .cut(after: 250_000)) }
        let redis = redis(proxy, answeringTime: .seconds(600))
        let reading = TestSubscriber<Entry, RedisError>.checked(.unlimited)
        redis.stream("s").entries(from: .beginning).subscribe(reading)
        reading.count(20)
        XCTAssertEqual(reading.values.map { $0.fields["n"] }, numbers)
        reading.cancel()
        for (group, count) in [("g" as Bytes, 1), ("h", 2)] {
            let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
            redis.stream("s").deliveries(
                group: group, consumer: "c", takeOverAfter: .seconds(1),
                deliveries: .atMost(count, then: redis.stream("rest"))
            )
            .subscribe(subscriber)
            subscriber.count(20)
            XCTAssertEqual(subscriber.values.map { $0.fields["n"] }, numbers)
            XCTAssertEqual(subscriber.values.map(\.count), Array(repeating: count, count: 20))
            XCTAssertEqual(try server.pending("s", group), 20)
            subscriber.cancel()
        }
        XCTAssertEqual(try server.number("XLEN", "rest"), 0)
        proxy.close()
    }

    func test_aCommandThatIsWrittenIsUnderWay() throws {
        let server = try RealServer.shared()
        let proxy = try Proxy(to: server) { _ in (.throttle(4_000_000), .none) }
        let adding = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        let large = Bytes(String(repeating: "x", count: 4_000_000))
        [["large": large] as EntryFields].publisher
            .add(to: redis(proxy, answeringTime: .milliseconds(250)).stream("s")).subscribe(adding)
        XCTAssertEqual(adding.ending(), .finished)
        XCTAssertEqual(try server.number("XLEN", "s"), 1)
        XCTAssertEqual(proxy.count, 1)
        proxy.close()
    }

    /// A server that takes nothing more is given up, however much is still to be written.
    func test_aCommandThatNoLongerMovesIsGivenUp() throws {
        let server = try RealServer.shared()
        let proxy = try Proxy(to: server) { number in (number == 1 ? .stall(after: 500_000) : .none, .none) }
        let adding = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        let large = Bytes(String(repeating: "x", count: 4_000_000))
        [["large": large] as EntryFields].publisher
            .add(to: redis(proxy, answeringTime: .milliseconds(100)).stream("s")).subscribe(adding)
        eventually("it moves") { proxy.count == 1 }
        proxy.isBlackHole = true
        eventually("it is given up") { proxy.count > 1 }
        proxy.isBlackHole = false
        XCTAssertEqual(adding.ending(), .finished)
        proxy.close()
    }

    /// A server that counts the entries which each read asks for.
    private func counting(_ size: Int, _ counts: Counts) throws -> ScriptedServer {
        let large = String(repeating: "x", count: size)
        let entry = "*2\r\n$3\r\n7-0\r\n*2\r\n$1\r\nn\r\n$\(size)\r\n\(large)\r\n"
        let total = Guarded(0)
        return try ScriptedServer { _, command in
            switch command[0] {
            case "HELLO": return "-ERR unknown command\r\n"
            case "XPENDING": return "*0\r\n"
            case "EVAL": return "*1\r\n:1000000\r\n"
            case "XREADGROUP", "XREAD":
                let wanted = Int(command[command.firstIndex(of: "COUNT")! + 1])!
                counts.asked.withLock { $0.append(wanted) }
                let count = total.withLock { total in
                    let count = min(wanted, 60 - total)
                    total += count
                    return count
                }
                if count == 0 { return "" }
                return "*1\r\n*2\r\n$1\r\ns\r\n*\(count)\r\n" + String(repeating: entry, count: count)
            default: return "+OK\r\n"
            }
        }
    }

    func test_readsAsManyAsFitTheSize() throws {
        for size in [400_000, 5_000_000, 10] {
            let counts = Counts()
            let server = try counting(size, counts)
            let subscriber = TestSubscriber<Int, RedisError>.checked(.unlimited)
            Redis(server.url).stream("s").deliveries(group: "g", consumer: "c").map(\.count).subscribe(subscriber)
            subscriber.count(60)
            let asked = counts.asked.withLock { $0 }
            XCTAssertEqual(asked.first, 4)
            let most = max(1, (1 << 20) / (size + 30))
            XCTAssertTrue(asked.dropFirst().allSatisfy { $0 <= most }, "\(asked)")
            if size == 10 { XCTAssertEqual(Array(asked.prefix(3)), [4, 16, 64]) }
            subscriber.cancel()
        }
    }
}
