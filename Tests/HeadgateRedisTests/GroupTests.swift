import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

/// What the consumers of a group have in common.
final class GroupTests: RedisTestCase {
    private func deliveries(
        _ server: RealServer, _ consumer: Bytes, _ after: Duration?
    ) -> TestSubscriber<Delivery, RedisError> {
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        Redis(server.url).stream("s").deliveries(group: "g", consumer: consumer, takeOverAfter: after)
            .subscribe(subscriber)
        return subscriber
    }

    private func consumers(_ server: RealServer) -> [String] {
        ((try? server.makeRequest("XINFO", "CONSUMERS", "s", "g").elements) ?? [])
            .compactMap { $0.elements?[1].text }.sorted()
    }

    func test_consumersThatHoldNothingAndAreGoneAreRemoved() throws {
        let server = try RealServer.shared()
        try server.makeRequest("XADD", "s", "*", "n", "1")
        try server.makeRequest("XGROUP", "CREATE", "s", "g", "0", "MKSTREAM")
        for number in 0..<20 { try server.makeRequest("XGROUP", "CREATECONSUMER", "s", "g", Bytes("\(number)")) }
        // What this one has is taken over first.
        try server.makeRequest("XREADGROUP", "GROUP", "g", "busy", "STREAMS", "s", ">")
        XCTAssertEqual(consumers(server).count, 21)
        let subscribers = ["a", "b"].map { deliveries(server, $0, .milliseconds(60)) }
        // One that waits is known to the server when it has received something.
        eventually("only living ones are left, \(consumers(server))") {
            let left = consumers(server)
            return !left.isEmpty && left.allSatisfy { $0 == "a" || $0 == "b" }
        }
        XCTAssertEqual(subscribers.reduce(0) { $0 + $1.values.count }, 1)
        XCTAssertEqual(try server.pending("s", "g"), 1)
        subscribers.forEach { $0.cancel() }
    }

    /// Neither receives what the other works on, however long that takes.
    func test_twoOfOneNameDoNotDeliverEachOthersAgain() throws {
        let server = try RealServer.shared()
        let subscribers = [deliveries(server, "c", nil), deliveries(server, "c", nil)]
        server.waitForBlocked(2)
        for number in 0..<6 { try server.makeRequest("XADD", "s", "*", "n", Bytes("\(number)")) }
        eventually("all are delivered") { subscribers.reduce(0) { $0 + $1.values.count } == 6 }
        for _ in 0..<3 {
            server.waitForBlocked(2)
            let before = server.calls("xpending")
            server.unblock(count: 2)
            eventually("both look") { server.calls("xpending") >= before + 2 }
        }
        server.waitForBlocked(2)
        XCTAssertEqual(subscribers.reduce(0) { $0 + $1.values.count }, 6)
        subscribers.forEach { $0.cancel() }
    }

    /// One looks for all, and the next when it is due.
    func test_oneConsumerLooksForAllOfTheGroup() throws {
        let server = try RealServer.shared()
        let start = ContinuousClock.now
        let subscribers = (0..<8).map { deliveries(server, Bytes("\($0)"), .milliseconds(300)) }
        eventually("some have looked") { server.calls("set") >= 5 }
        let periods = (ContinuousClock.now - start) / .milliseconds(100)
        XCTAssertLessThanOrEqual(Double(server.calls("set")), periods + 2)
        subscribers.forEach { $0.cancel() }
    }

    /// A look goes through many pending entries in steps, and finds what is behind them.
    func test_looksThroughManyPendingOnesInSteps() throws {
        let server = try RealServer.shared()
        let script: Bytes = """
            for i = 1, 2500 do redis.call('XADD', 's', i .. '-0', 'n', i) end
            redis.call('XGROUP', 'CREATE', 's', 'g', '0')
            redis.call('XREADGROUP', 'GROUP', 'g', 'busy', 'COUNT', 2499, 'STREAMS', 's', '>')
            redis.call('XREADGROUP', 'GROUP', 'g', 'dead', 'STREAMS', 's', '>')
            redis.call('XCLAIM', 's', 'g', 'dead', 0, '2500-0', 'IDLE', 100000, 'JUSTID')
            """
        try server.makeRequest("EVAL", script, "1", "s")
        let subscriber = deliveries(server, "c", .seconds(90))
        subscriber.count(1)
        XCTAssertEqual(subscriber.values[0].id, EntryID(2_500))
        XCTAssertEqual(subscriber.values[0].takenFrom, "dead")
        XCTAssertEqual(try server.pending("s", "g"), 2_500)
        subscriber.cancel()
    }

    /// The connection by which entries are acknowledged is there before any is read, and stays while any is held.
    func test_theSharedConnectionComesFirstAndStays() throws {
        let server = try ScriptedServer { _, command in
            switch command[0] {
            case "HELLO": "-ERR unknown command\r\n"
            case "XPENDING": "*0\r\n"
            case "EVAL" where command[1].contains("lost"): "*0\r\n"
            case "EVAL": "*1\r\n:100000\r\n"
            case "XREADGROUP": "*1\r\n*2\r\n$1\r\ns\r\n*1\r\n*2\r\n$3\r\n7-0\r\n*2\r\n$1\r\nn\r\n$1\r\n1\r\n"
            default: "+OK\r\n"
            }
        }
        var options = RedisOptions()
        options.idleTime = .milliseconds(1)
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.first(1))
        Redis(server.url, options: options).stream("s")
            .deliveries(group: "g", consumer: "c", takeOverAfter: .milliseconds(60)).subscribe(subscriber)
        subscriber.count(1)
        eventually("it is renewed") { server.commands.filter { $0[0] == "EVAL" && $0[1].contains("lost") }.count > 5 }
        let steps = server.commands.map { $0[0] }
        XCTAssertLessThan(steps.firstIndex(of: "XPENDING")!, steps.lastIndex(of: "PING")!)
        // The one that is shared, and the source's.
        XCTAssertEqual(server.count, 2)
        subscriber.cancel()
    }

    func test_acknowledgesAndDeletesInOneStep() throws {
        let server = try RealServer.shared()
        for number in 1...50 { try server.makeRequest("XADD", "s", Bytes("\(number)-0"), "n", "x") }
        let proxy = try Proxy(to: server) { number in (.none, number < 8 ? .cut(after: number * 400) : .none) }
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(1), retries: nil)
        let done = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        Redis(proxy.url, options: options).stream("s").deliveries(group: "g", consumer: "c")
            .filter { $0.id != EntryID(50) }
            .acknowledge(batch: 10, deleting: true).subscribe(done)
        done.count(49)
        XCTAssertEqual(Set(done.values).count, 49)
        XCTAssertEqual(try server.number("XLEN", "s"), 1)
        XCTAssertEqual(try server.pending("s", "g"), 1)
        done.cancel()
        proxy.close()
    }

    func test_publishesTheLagWhenItIsRequested() throws {
        let server = try RealServer.shared()
        for number in 1...5 { try server.makeRequest("XADD", "s", Bytes("\(number)-0"), "n", "x") }
        try server.makeRequest("XGROUP", "CREATE", "s", "g", "0")
        try server.makeRequest("XREADGROUP", "GROUP", "g", "c", "COUNT", "2", "STREAMS", "s", ">")
        let lags = TestSubscriber<GroupLag, RedisError>.checked(.none)
        Redis(server.url).stream("s").lag(of: "g", every: .milliseconds(1)).subscribe(lags)
        XCTAssertEqual(server.calls("eval"), 0)
        lags.request(.max(1))
        lags.count(1)
        XCTAssertTrue(lags.values[0].waiting == 3 || lags.values[0].waiting == nil)
        XCTAssertEqual(lags.values[0].pending, 2)
        XCTAssertEqual(lags.values[0].consumers, 1)
        XCTAssertGreaterThan(try XCTUnwrap(lags.values[0].age), .seconds(1_000_000))
        XCTAssertEqual(server.calls("eval"), 1)
        try server.makeRequest("XREADGROUP", "GROUP", "g", "c", "STREAMS", "s", ">")
        lags.request(.max(2))
        lags.count(3)
        XCTAssertEqual(lags.values[1], GroupLag(waiting: 0, pending: 5, consumers: 1, age: nil))
        lags.cancel()
        let none = TestSubscriber<GroupLag, RedisError>.checked(.unlimited)
        Redis(server.url).stream("s").lag(of: "none").subscribe(none)
        XCTAssertNotNil(none.ending()?.failure)
    }
}
