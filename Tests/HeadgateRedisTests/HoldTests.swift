import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

/// A consumer believes that it holds an entry only while nobody else can have it.
final class HoldTests: RedisTestCase {
    private func options() -> RedisOptions {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(5), retries: nil)
        return options
    }

    private func deliveries(
        _ redis: Redis, _ consumer: Bytes, _ after: Duration, longest: Duration? = nil
    ) -> TestSubscriber<Delivery, RedisError> {
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        redis.stream("s").deliveries(group: "g", consumer: consumer, takeOverAfter: after, longestWork: longest)
            .subscribe(subscriber)
        return subscriber
    }

    func test_aHoldEndsByTheHoldersOwnClock() throws {
        let server = try RealServer.shared()
        try server.makeRequest("XADD", "s", "*", "n", "1")
        let proxy = try Proxy(to: server)
        let away = deliveries(Redis(proxy.url, options: options()), "away", .milliseconds(400))
        away.count(1)
        XCTAssertTrue(away.values[0].isHeld)
        proxy.isBlackHole = true
        let other = deliveries(Redis(server.url), "other", .milliseconds(400))
        other.count(1)
        // Whatever the other does with it, this one has given it up before.
        XCTAssertFalse(away.values[0].isHeld)
        XCTAssertEqual(other.values[0].takenFrom, "away")
        proxy.isBlackHole = false
        try server.makeRequest("XADD", "s", "*", "n", "2")
        eventually("it goes on") { away.values.count + other.values.count >= 3 }
        XCTAssertFalse(away.values[0].isHeld)
        away.cancel()
        other.cancel()
        proxy.close()
    }

    /// A process that was stopped looks at the clock before anybody tells it.
    func test_aHoldThatNobodyConfirmsEndsInTime() throws {
        let server = try ScriptedServer { _, command in
            switch command[0] {
            case "HELLO": "-ERR unknown command\r\n"
            case "XPENDING": "*0\r\n"
            // Never answers a renewal.
            case "EVAL" where command[1].contains("lost"): ""
            case "EVAL": "*1\r\n:100000\r\n"
            case "XREADGROUP": "*1\r\n*2\r\n$1\r\ns\r\n*1\r\n*2\r\n$3\r\n7-0\r\n*2\r\n$1\r\nn\r\n$1\r\n1\r\n"
            default: "+OK\r\n"
            }
        }
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.first(1))
        Redis(server.url).stream("s").deliveries(group: "g", consumer: "c", takeOverAfter: .milliseconds(200))
            .subscribe(subscriber)
        subscriber.count(1)
        let start = ContinuousClock.now
        eventually("the hold has ended") { !subscriber.values[0].isHeld }
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(5))
        subscriber.cancel()
    }

    func test_aRefusedRenewalIsTriedAgain() throws {
        let renewals = Guarded(0)
        let server = try ScriptedServer { _, command in
            switch command[0] {
            case "HELLO": return "-ERR unknown command\r\n"
            case "XPENDING": return "*0\r\n"
            case "EVAL" where command[1].contains("lost"):
                let number = renewals.withLock { count in
                    count += 1
                    return count
                }
                return number < 3 ? "-NOPERM this user has no permissions to run the 'eval' command\r\n" : "*0\r\n"
            case "EVAL": return "*1\r\n:100000\r\n"
            case "XREADGROUP": return "*1\r\n*2\r\n$1\r\ns\r\n*1\r\n*2\r\n$3\r\n7-0\r\n*2\r\n$1\r\nn\r\n$1\r\n1\r\n"
            default: return "+OK\r\n"
            }
        }
        let redis = Redis(server.url)
        let events = TestSubscriber<RedisEvent, Never>(.unlimited)
        redis.events.subscribe(events)
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.first(1))
        redis.stream("s").deliveries(group: "g", consumer: "c", takeOverAfter: .milliseconds(900))
            .subscribe(subscriber)
        subscriber.count(1)
        eventually("it is renewed") { renewals.withLock { $0 } >= 4 }
        XCTAssertTrue(subscriber.values[0].isHeld)
        let refused = events.values.filter { if case .renewalFailed = $0 { true } else { false } }
        XCTAssertEqual(refused.count, 2)
        subscriber.cancel()
    }

    /// A server that refuses writes for a time, and is well again before the takeover is due.
    func test_theWorkOfALivingConsumerIsNotDoneTwice() throws {
        let server = try RealServer.shared()
        for number in 0..<4 { try server.makeRequest("XADD", "s", "*", "n", Bytes("\(number)")) }
        let redis = Redis(server.url, options: options())
        let events = TestSubscriber<RedisEvent, Never>(.unlimited)
        redis.events.subscribe(events)
        let slow = deliveries(redis, "slow", .seconds(2))
        slow.count(4)
        let other = deliveries(Redis(server.url, options: options()), "other", .seconds(2))
        try server.makeRequest("CONFIG", "SET", "min-replicas-to-write", "1")
        eventually("a renewal is refused") {
            events.values.contains { if case .lost(let error) = $0 { error.code == "NOREPLICAS" } else { false } }
        }
        try server.makeRequest("CONFIG", "SET", "min-replicas-to-write", "0")
        let before = server.calls("xclaim")
        eventually("all are renewed twice") { server.calls("xclaim") >= before + 8 }
        XCTAssertTrue(slow.values.allSatisfy(\.isHeld))
        XCTAssertTrue(other.values.isEmpty)
        slow.cancel()
        other.cancel()
    }

    /// A handler that hangs does not hold its entry for ever.
    func test_workThatTakesTooLongIsGivenUp() throws {
        let server = try RealServer.shared()
        try server.makeRequest("XADD", "s", "*", "n", "1")
        let redis = Redis(server.url)
        let events = TestSubscriber<RedisEvent, Never>(.unlimited)
        redis.events.subscribe(events)
        let subscriber = deliveries(redis, "a", .milliseconds(150), longest: .milliseconds(300))
        subscriber.count(2)
        XCTAssertEqual(Array(subscriber.values.map(\.count).prefix(2)), [1, 2])
        XCTAssertFalse(subscriber.values[0].isHeld)
        XCTAssertTrue(events.values.contains(.workTooLong(stream: "s", id: subscriber.values[0].id)))
        subscriber.cancel()
    }
}
