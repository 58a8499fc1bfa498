import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

/// Nobody changes the connection that others use.
final class SharedConnectionTests: RedisTestCase {
    func test_refusesWhatWouldChangeIt() throws {
        let server = try RealServer.shared()
        let redis = Redis(server.url)
        XCTAssertEqual(outcome(redis.command("SET", "k", "v")).values, [.status("OK")])
        let commands: [[Bytes]] = [
            ["SELECT", "1"], ["select", "1"], ["SUBSCRIBE", "x"], ["PSUBSCRIBE", "x*"], ["MULTI"], ["EXEC"],
            ["WATCH", "k"], ["DISCARD"], ["MONITOR"], ["HELLO", "2"], ["AUTH", "x"], ["RESET"], ["QUIT"],
            ["CLIENT", "REPLY", "OFF"], ["client", "reply", "skip"], ["CLIENT", "TRACKING", "ON"], ["READONLY"],
            ["CLIENT", "SETNAME", "x"], ["ASKING"],
        ]
        for command in commands {
            let (values, error) = outcome(redis.command(command))
            XCTAssertEqual(values, [])
            guard case .refused = error?.reason else { return XCTFail("\(command): \(String(describing: error))") }
            XCTAssertEqual(error?.command, String(command[0]))
        }
        XCTAssertTrue("\(outcome(redis.command("SELECT", "1")).error!)".contains("redis://host/1"))
        XCTAssertEqual(outcome(redis.command("GET", "k")).values.first?.text, "v")
        XCTAssertEqual(outcome(redis.command("CLIENT", "ID")).error, nil)
    }

    /// A command that waits keeps nobody else waiting.
    func test_whatWaitsHasAConnectionOfItsOwn() throws {
        let server = try RealServer.shared()
        var options = RedisOptions()
        options.answeringTime = .milliseconds(50)
        let redis = Redis(server.url, options: options)
        let waiting = TestSubscriber<RedisValue, RedisError>.checked(.unlimited)
        redis.command("BLPOP", "list", "0").subscribe(waiting)
        server.waitForBlocked(1)
        for _ in 0..<3 { XCTAssertEqual(outcome(redis.command("PING")).values, [.status("PONG")]) }
        let cancelled = TestSubscriber<RedisValue, RedisError>.checked(.unlimited)
        redis.command("XREAD", "BLOCK", "0", "STREAMS", "s", "$").subscribe(cancelled)
        server.waitForBlocked(2)
        cancelled.cancel()
        server.waitForBlocked(1)
        XCTAssertEqual(outcome(redis.command("RPUSH", "list", "x")).values, [.integer(1)])
        XCTAssertEqual(waiting.ending(), .finished)
        XCTAssertEqual(waiting.values.first?.elements?.last?.text, "x")
    }

    func test_executesATransactionAsOne() throws {
        let server = try RealServer.shared()
        let redis = Redis(server.url)
        let all = (0..<50).map { _ in
            let subscriber = TestSubscriber<[RedisValue], RedisError>.checked(.unlimited)
            redis.transaction([["INCR", "a"], ["INCR", "b"], ["GET", "a"]]).subscribe(subscriber)
            let between = TestSubscriber<RedisValue, RedisError>.checked(.unlimited)
            redis.command("GET", "a").subscribe(between)
            return subscriber
        }
        for (number, subscriber) in all.enumerated() {
            XCTAssertEqual(subscriber.ending(), .finished)
            let count = Int64(number + 1)
            XCTAssertEqual(
                subscriber.values, [[.integer(count), .integer(count), .string(Bytes("\(count)"))]])
        }
    }

    func test_aTransactionThatTheServerDoesNotAcceptChangesNothing() throws {
        let server = try RealServer.shared()
        let redis = Redis(server.url)
        let (_, error) = outcome(redis.transaction([["SET", "k", "v"], ["NOSUCHCOMMAND"], ["SET", "l", "v"]]))
        XCTAssertEqual(error?.command, "NOSUCHCOMMAND")
        XCTAssertEqual(try server.number("EXISTS", "k", "l"), 0)
        // One that fails while it is executed keeps none of the others from it.
        let (values, none) = outcome(redis.transaction([["SET", "k", "v"], ["INCR", "k"], ["SET", "l", "v"]]))
        XCTAssertNil(none)
        XCTAssertEqual(values.first?.count, 3)
        if case .error = values.first?[1] {} else { XCTFail("\(values)") }
        XCTAssertEqual(try server.number("EXISTS", "k", "l"), 2)
        guard case .refused = outcome(redis.transaction([["SELECT", "1"]])).error?.reason else { return XCTFail() }
    }
}
