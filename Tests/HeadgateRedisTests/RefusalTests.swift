import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

/// What a server refuses for a time, it accepts later: nothing ends for it.
final class RefusalTests: RedisTestCase {
    private func redis(_ url: String) -> (Redis, TestSubscriber<RedisEvent, Never>) {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(2), retries: nil)
        let redis = Redis(url, options: options)
        let events = TestSubscriber<RedisEvent, Never>(.unlimited)
        redis.events.subscribe(events)
        return (redis, events)
    }

    private func hasLost(_ events: TestSubscriber<RedisEvent, Never>, _ code: String) -> Bool {
        events.values.contains { if case .lost(let error) = $0 { error.code == code } else { false } }
    }

    func test_aFailoverIsNoLostGroup() throws {
        let server = try RealServer()
        let (redis, events) = redis(server.url)
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        redis.stream("s").deliveries(group: "g", consumer: "c", takeOverAfter: nil, whenGroupIsLost: .fail)
            .subscribe(subscriber)
        server.waitForBlocked(1)
        try server.makeRequest("REPLICAOF", "127.0.0.1", "1")
        eventually("the server is a replica") { hasLost(events, "READONLY") }
        try server.makeRequest("REPLICAOF", "NO", "ONE")
        server.waitForBlocked(1)
        server.unblock("xreadgroup", "ERROR")
        try server.makeRequest("XADD", "s", "*", "n", "1")
        subscriber.count(1)
        XCTAssertTrue(subscriber.values[0].isHeld)
        XCTAssertFalse(events.values.contains(.groupLost(stream: "s", group: "g")))
        try server.makeRequest("DEL", "s")
        guard case .groupLost = subscriber.ending()?.failure?.reason else {
            return XCTFail("\(String(describing: subscriber.completion))")
        }
    }

    func test_aProducerAndAConsumerWaitForReplicasAndMemory() throws {
        for (code, name, bad, good): (String, Bytes, Bytes, Bytes) in [
            ("NOREPLICAS", "min-replicas-to-write", "1", "0"), ("OOM", "maxmemory", "1", "0"),
        ] {
            let server = try RealServer.shared()
            let (redis, events) = redis(server.url)
            let upstream = PassthroughSubject<EntryFields, Never>()
            let adding = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
            upstream.add(to: redis.stream("s")).subscribe(adding)
            let done = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
            redis.stream("s").deliveries(group: "g", consumer: "c").acknowledge().subscribe(done)
            upstream.send(["n": "1"])
            adding.count(1)
            done.count(1)
            try server.makeRequest("CONFIG", "SET", name, bad)
            upstream.send(["n": "2"])
            upstream.send(["n": "3"])
            eventually("it is refused: \(code)") { hasLost(events, code) }
            try server.makeRequest("CONFIG", "SET", name, good)
            upstream.send(completion: .finished)
            XCTAssertEqual(adding.ending(), .finished)
            XCTAssertEqual(adding.values.count, 3)
            done.count(3)
            XCTAssertNil(done.completion)
            done.cancel()
        }
    }

    /// What is acknowledged does not wait for what is added.
    func test_acknowledgesAndStartsWhileMemoryIsFull() throws {
        let server = try RealServer.shared()
        for number in 1...3 { try server.makeRequest("XADD", "s", "*", "n", Bytes("\(number)")) }
        try server.makeRequest("XGROUP", "CREATE", "s", "g", "0")
        try server.makeRequest("CONFIG", "SET", "maxmemory", "1")
        defer { _ = try? server.makeRequest("CONFIG", "SET", "maxmemory", "0") }
        let (redis, events) = redis(server.url)
        let adding = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        [["n": "4"] as EntryFields].publisher.add(to: redis.stream("s")).subscribe(adding)
        eventually("it is refused") { hasLost(events, "OOM") }
        let done = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        redis.stream("s").deliveries(group: "g", consumer: "c").acknowledge().subscribe(done)
        done.count(3)
        XCTAssertNil(adding.completion)
        XCTAssertNil(done.completion)
        adding.cancel()
        done.cancel()
    }

    func test_waitsForADiskThatIsFull() throws {
        let refusals = Guarded(2)
        let server = try ScriptedServer { _, command in
            switch command[0] {
            case "XADD":
                if refusals.withLock({
                    $0 -= 1
                    return $0 >= 0
                }) {
                    return "-MISCONF Redis is configured to save RDB snapshots, but it is unable to persist.\r\n"
                }
                return "$3\r\n1-0\r\n"
            default: return "+OK\r\n"
            }
        }
        let (redis, _) = redis(server.url)
        let adding = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        [["n": "4"] as EntryFields].publisher.add(to: redis.stream("s")).subscribe(adding)
        XCTAssertEqual(adding.ending(), .finished)
    }

    /// Servers before version 7 put the code of a command that fails in a script behind other words.
    func test_aReplicaIsWaitedForInAScriptOfAnOlderServer() throws {
        let claims = Guarded(0)
        let server = try ScriptedServer { _, command in
            switch command[0] {
            case "HELLO": return "-ERR unknown command\r\n"
            case "XPENDING": return "*1\r\n*4\r\n$3\r\n7-0\r\n$1\r\nc\r\n:1\r\n:1\r\n"
            case "EVAL" where command[1].contains("RETRYCOUNT"):
                let count = claims.withLock { count in
                    count += 1
                    return count
                }
                if count == 1 {
                    return "-ERR Error running script (call to f_1): @user_script:20: @user_script: 20: "
                        + "-READONLY You can't write against a read only replica. \r\n"
                }
                return "*1\r\n*4\r\n$3\r\n7-0\r\n*2\r\n$1\r\nn\r\n$1\r\n1\r\n:2\r\n$1\r\nc\r\n"
            case "EVAL": return "*0\r\n"
            default: return "+OK\r\n"
            }
        }
        let (redis, events) = redis(server.url)
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.first(1))
        redis.stream("s").deliveries(group: "g", consumer: "c", takeOverAfter: nil).subscribe(subscriber)
        subscriber.count(1)
        XCTAssertTrue(hasLost(events, "READONLY"))
        subscriber.cancel()
    }

    /// A command fails after some attempts, because somebody waits for it; streams go on.
    func test_aStreamIsMorePatientThanACommand() throws {
        XCTAssertEqual(RedisOptions().retrying.retries, 240)
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(2), retries: nil)
        options.commandRetries = 3
        let redis = Redis("unix:///nowhere/at/all", options: options)
        let events = TestSubscriber<RedisEvent, Never>(.unlimited)
        redis.events.subscribe(events)
        let adding = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        [["n": "4"] as EntryFields].publisher.add(to: redis.stream("s")).subscribe(adding)
        let asking = TestSubscriber<RedisValue, RedisError>.checked(.unlimited)
        redis.command("PING").subscribe(asking)
        guard case .system = asking.ending()?.failure?.reason else {
            return XCTFail("\(String(describing: asking.completion))")
        }
        eventually("it goes on") { events.values.count > 20 }
        XCTAssertNil(adding.completion)
        adding.cancel()
    }
}
