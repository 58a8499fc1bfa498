import Foundation
import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

/// What a consumer holds at the server is never more than it has requested, whenever the server is asked.
final class DemandTests: RedisTestCase {
    private func add(_ numbers: Range<Int>, to redis: Redis) {
        let adding = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        numbers.map { ["n": Bytes("\($0)")] as EntryFields }.publisher.add(to: redis.stream("s")).subscribe(adding)
        adding.ending()
    }

    /// What is pending for a consumer of the group `g`; nothing if there is no group yet.
    private func pending(_ consumer: Bytes, _ server: RealServer) throws -> Int {
        for facts in try server.makeRequest("XINFO", "CONSUMERS", "s", "g").elements ?? [] {
            guard let facts = facts.elements, facts.count >= 4, facts[1].bytes == consumer else { continue }
            return Int(facts[3].integer ?? 0)
        }
        return 0
    }

    func test_pendingIsNeverMoreThanRequestedAndNotAcknowledged() throws {
        let server = try RealServer.shared()
        let proxy = try Proxy(to: server) { _ in (.none, .none) }
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(1), retries: nil)
        let redis = Redis(proxy.url, options: options)
        let count = 2_000
        add(0..<count, to: Redis(server.url))
        let requested = Atomic(0)
        let acknowledged = TestSubscriber<EntryID, RedisError>.checked(.none)
        redis.stream("s").deliveries(group: "g", consumer: "c", takeOverAfter: .milliseconds(500))
            .handleEvents(receiveRequest: { requested.add($0.max ?? 0, ordering: .sequentiallyConsistent) })
            .acknowledge(batch: 8).subscribe(acknowledged)
        var samples = 0
        var wanted = 0
        while acknowledged.values.count < count {
            if wanted <= acknowledged.values.count {
                let demand = min(Int.random(in: 1...40), count - wanted)
                wanted += demand
                acknowledged.request(.max(demand))
            }
            // Acknowledged before the server is asked, requested after it has answered.
            let before = acknowledged.values.count
            let pending = try pending("c", server)
            let most = requested.load(ordering: .sequentiallyConsistent) - before
            XCTAssertLessThanOrEqual(pending, most)
            samples += 1
            if samples % 50 == 0 { proxy.cutAll() }
            if acknowledged.completion != nil { return XCTFail("\(String(describing: acknowledged.completion))") }
        }
        XCTAssertGreaterThan(samples, 20)
        XCTAssertEqual(requested.load(ordering: .relaxed), count)
        XCTAssertEqual(Set(acknowledged.values).count, count)
        XCTAssertEqual(try server.pending("s", "g"), 0)
        acknowledged.cancel()
        proxy.close()
    }

    func test_aWaitingSourceSendsNothing() throws {
        let server = try RealServer.shared()
        let redis = Redis(server.url)
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        redis.stream("s").deliveries(group: "g", consumer: "c").subscribe(subscriber)
        add(0..<1, to: redis)
        subscriber.count(1)
        eventually("it waits") {
            (try? server.makeRequest("INFO", "clients").text?.contains("blocked_clients:1")) == true
        }
        func commands() throws -> Int {
            let line = try XCTUnwrap(server.makeRequest("INFO", "stats").text)
                .split(separator: "\r\n").first { $0.hasPrefix("total_commands_processed:") }
            return try XCTUnwrap(line.flatMap { Int($0.dropFirst("total_commands_processed:".count)) })
        }
        // Each of these questions is a command, too.
        var questions = 0
        let before = try commands()
        standsStill("what others send") {
            questions += 1
            return ((try? commands()) ?? 0) - questions
        }
        XCTAssertEqual(try commands(), before + questions + 1)
        subscriber.cancel()
    }

    /// Two processes that use one name share what is new between them.
    func test_twoSourcesOfOneConsumerShareItsEntries() throws {
        let server = try RealServer.shared()
        let subscribers = (0..<2).map { _ in
            let subscriber = TestSubscriber<Delivery, RedisError>.checked(.oneByOneReentrantly)
            Redis(server.url).stream("s").deliveries(group: "g", consumer: "c").subscribe(subscriber)
            return subscriber
        }
        eventually("both wait") {
            (try? server.makeRequest("INFO", "clients").text?.contains("blocked_clients:2")) == true
        }
        add(0..<200, to: Redis(server.url))
        eventually("all are delivered") { subscribers.reduce(0) { $0 + $1.values.count } == 200 }
        XCTAssertEqual(Set(subscribers.flatMap(\.values).map(\.id)).count, 200)
        subscribers.forEach { $0.cancel() }
    }

    /// A stream that has ended, failed or been cancelled retains neither the connections nor anything else.
    func test_releasesEverythingAtTheEnd() throws {
        let server = try RealServer.shared()
        weak var weakRedis: Redis?
        func use() throws {
            let redis = Redis(server.url)
            weakRedis = redis
            add(0..<10, to: redis)
            let done = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
            redis.stream("s").deliveries(group: "g", consumer: "c").prefix(5).acknowledge().subscribe(done)
            XCTAssertEqual(done.ending(), .finished)
            let cancelled = TestSubscriber<EntryID, RedisError>.checked(.first(3))
            redis.stream("s").deliveries(group: "g", consumer: "c").acknowledge().subscribe(cancelled)
            cancelled.count(3)
            cancelled.cancel()
            try server.makeRequest("SET", "other", "x")
            let failed = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
            [["n": "1"] as EntryFields].publisher.add(to: redis.stream("other")).subscribe(failed)
            XCTAssertNotNil(failed.ending()?.failure)
        }
        try use()
        eventually("everything is released") { weakRedis == nil }
    }

    func test_carriesAnyBytes() throws {
        let server = try RealServer.shared()
        let all = Bytes((0...255).map { UInt8($0) })
        let redis = Redis(server.url)
        let entries: [(Bytes, EntryFields)] = [
            (all, [all: all]), ("", ["": ""]), ("a\u{0}b", ["\r\n": "$5\r\n", all: ""]),
        ]
        for (key, fields) in entries {
            let stream = redis.stream(key)
            let adding = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
            [fields].publisher.add(to: stream).subscribe(adding)
            XCTAssertEqual(adding.ending(), .finished)
            let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
            stream.deliveries(group: all, consumer: key).subscribe(subscriber)
            subscriber.count(1)
            XCTAssertEqual(subscriber.values.first?.fields, fields)
            subscriber.cancel()
        }
        let none = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        [[:] as EntryFields].publisher.add(to: redis.stream("s")).subscribe(none)
        XCTAssertEqual(none.ending()?.failure?.code, "ERR")
    }
}
