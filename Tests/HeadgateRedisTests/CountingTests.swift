import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

/// What counts against the limit of deliveries, and what happens at it.
final class CountingTests: RedisTestCase {
    private func redis(_ url: String) -> Redis {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(1), retries: nil)
        return Redis(url, options: options)
    }

    private func server(_ count: Int, size: Int = 1) throws -> RealServer {
        let server = try RealServer.shared()
        let value = Bytes(String(repeating: "x", count: size))
        for _ in 0..<count { try server.makeRequest("XADD", "s", "*", "n", value) }
        return server
    }

    /// What the first connections lose on its way is not counted.
    func test_whatNeverArrivedDoesNotCount() throws {
        let server = try server(20, size: 2_000)
        let proxy = try Proxy(to: server) { number in (.none, number < 12 ? .cut(after: 3_000) : .none) }
        let redis = redis(proxy.url)
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        redis.stream("s").deliveries(
            group: "g", consumer: "c", takeOverAfter: .milliseconds(500),
            deliveries: .atMost(2, then: redis.stream("dead"))
        )
        .subscribe(subscriber)
        subscriber.count(20)
        XCTAssertEqual(subscriber.values.map(\.count), Array(repeating: 1, count: 20))
        XCTAssertGreaterThan(proxy.count, 8)
        XCTAssertEqual(try server.number("XLEN", "dead"), 0)
        subscriber.cancel()
        proxy.close()
    }

    /// The same for the answers to takeovers.
    func test_aTakeoverThatNeverArrivedDoesNotCount() throws {
        let server = try server(20, size: 2_000)
        try server.makeRequest("XGROUP", "CREATE", "s", "g", "0")
        try server.makeRequest("XREADGROUP", "GROUP", "g", "dead", "STREAMS", "s", ">")
        let proxy = try Proxy(to: server) { number in (.none, number < 12 ? .cut(after: 3_500) : .none) }
        let redis = redis(proxy.url)
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        redis.stream("s").deliveries(
            group: "g", consumer: "c", takeOverAfter: .milliseconds(50),
            deliveries: .atMost(2, then: redis.stream("dead"))
        )
        .subscribe(subscriber)
        subscriber.count(20)
        XCTAssertEqual(subscriber.values.map(\.count), Array(repeating: 2, count: 20))
        XCTAssertEqual(try server.number("XLEN", "dead"), 0)
        subscriber.cancel()
        proxy.close()
    }

    /// A stream for the rest that is none, or finds the memory full, stops nobody.
    func test_whatCannotBeMovedStopsNothingElse() throws {
        let server = try server(3)
        try server.makeRequest("SET", "dead", "no stream")
        let redis = redis(server.url)
        let events = TestSubscriber<RedisEvent, Never>(.unlimited)
        redis.events.subscribe(events)
        let done = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        let first = try XCTUnwrap(
            server.makeRequest("XRANGE", "s", "-", "+").elements?.first?.elements?[0].bytes.flatMap { EntryID($0) })
        redis.stream("s").deliveries(
            group: "g", consumer: "c", takeOverAfter: .milliseconds(30),
            deliveries: .atMost(1, then: redis.stream("dead"))
        )
        .filter { $0.id != first }.acknowledge().subscribe(done)
        eventually("it is told") {
            events.values.contains { event in
                if case .notMoved(_, let id, let words) = event {
                    id == first && words.hasPrefix("WRONGTYPE")
                } else {
                    false
                }
            }
        }
        try server.makeRequest("XADD", "s", "*", "n", "y")
        done.count(3)
        XCTAssertEqual(try server.pending("s", "g"), 1)
        try server.makeRequest("DEL", "dead")
        eventually("it is moved") { (try? server.number("XLEN", "dead")) == 1 }
        XCTAssertEqual(try server.pending("s", "g"), 0)
        done.cancel()
    }
}
