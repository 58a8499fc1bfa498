import Dispatch
import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

/// The real server in states in which it refuses commands for a time.
final class ServerStateTests: RedisTestCase {
    private func redis(_ server: RealServer) -> (Redis, TestSubscriber<RedisEvent, Never>) {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(2), retries: nil)
        options.commandRetries = 10_000
        let redis = Redis(server.url, options: options)
        let events = TestSubscriber<RedisEvent, Never>(.unlimited)
        redis.events.subscribe(events)
        return (redis, events)
    }

    private func hasLost(_ events: TestSubscriber<RedisEvent, Never>, _ words: String) -> Bool {
        events.values.contains { if case .lost(let error) = $0 { "\(error)".contains(words) } else { false } }
    }

    func test_waitsUntilThereAreFewerClients() throws {
        let server = try RealServer()
        // Before the request, whose own connection may not be closed yet and would be the only one.
        let other = try server.connect()
        try server.makeRequest("CONFIG", "SET", "maxclients", "1")
        let (redis, events) = redis(server)
        let subscriber = TestSubscriber<RedisValue, RedisError>.checked(.unlimited)
        redis.command("PING").subscribe(subscriber)
        eventually("it is refused") { hasLost(events, "max number of clients reached") }
        XCTAssertNil(subscriber.completion)
        close(other)
        XCTAssertEqual(subscriber.ending(), .finished)
        XCTAssertEqual(subscriber.values, [.status("PONG")])
    }

    func test_waitsUntilTheServerHasLoadedItsData() throws {
        // It loads five entries in a millisecond, and answers after each 1,024.
        let server = try RealServer("--appendonly", "yes", "--key-load-delay", "200")
        let (redis, events) = redis(server)
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        (0..<6_000).map { ["n": Bytes("\($0)")] as EntryFields }.publisher.add(to: redis.stream("s"))
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.ending(), .finished)
        server.kill()
        let next = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        [["n": "last"] as EntryFields].publisher.add(to: redis.stream("s")).subscribe(next)
        let reading = TestSubscriber<Entry, RedisError>.checked(.unlimited)
        redis.stream("s").entries(from: .beginning).subscribe(reading)
        try server.start()
        XCTAssertEqual(next.ending(), .finished)
        XCTAssertTrue(hasLost(events, "LOADING"), "\(events.values)")
        reading.count(6_001)
        XCTAssertEqual(reading.values.map(\.id), subscriber.values + next.values)
        reading.cancel()
    }

    func test_aBlockedReadThatIsUnblockedGoesOn() throws {
        let server = try RealServer.shared()
        let (redis, _) = redis(server)
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        redis.stream("s").deliveries(group: "g", consumer: "c").subscribe(subscriber)
        for number in 1...5 {
            server.unblock()
            try server.makeRequest("XADD", "s", "*", "n", Bytes("\(number)"))
            subscriber.count(number)
        }
        XCTAssertEqual(subscriber.values.compactMap { $0.fields.text("n") }, ["1", "2", "3", "4", "5"])
        subscriber.cancel()
    }

    /// What a lost connection of the same consumer has read is delivered although nothing is ever taken over.
    func test_aWaitingConsumerLooksAtWhatIsPendingForIt() throws {
        let server = try RealServer.shared()
        let (redis, _) = redis(server)
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        redis.stream("s").deliveries(group: "g", consumer: "c", takeOverAfter: nil).subscribe(subscriber)
        server.waitForBlocked(1)
        let before = server.clients(of: "xreadgroup")
        try server.makeRequest("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        eventually("it waits again") { !Set(server.clients(of: "xreadgroup")).isSubset(of: before) }
        server.waitForBlocked(1)
        // In one step, so that the waiting read finds nothing.
        let script: Bytes = """
            redis.call('XADD', 's', '*', 'n', '1')
            return redis.call('XREADGROUP', 'GROUP', 'g', 'c', 'STREAMS', 's', '>')
            """
        try server.makeRequest("EVAL", script, "1", "s")
        XCTAssertTrue(subscriber.values.isEmpty)
        server.unblock()
        subscriber.count(1)
        XCTAssertEqual(subscriber.values.first?.count, 1)
        subscriber.cancel()
    }

    func test_scriptsThatTheServerHasForgottenAreSentAgain() throws {
        let server = try RealServer.shared()
        try server.makeRequest("XGROUP", "CREATE", "s", "g", "0", "MKSTREAM")
        for number in 1...3 {
            try server.makeRequest("XADD", "s", "*", "n", Bytes("\(number)"))
            try server.makeRequest("XREADGROUP", "GROUP", "g", "dead", "STREAMS", "s", ">")
            try server.makeRequest("SCRIPT", "FLUSH")
            let (redis, _) = redis(server)
            let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
            redis.stream("s").deliveries(group: "g", consumer: "a", takeOverAfter: .milliseconds(20))
                .subscribe(subscriber)
            subscriber.count(number)
            subscriber.cancel()
        }
    }
}
