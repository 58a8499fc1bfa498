import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

final class AddTests: RedisTestCase {
    private func fields(_ count: Int) -> [EntryFields] { (0..<count).map { ["n": Bytes("\($0)")] } }

    /// The numbers in a stream, in its order.
    private func numbers(_ server: RealServer, _ key: Bytes = "s") throws -> [Int] {
        try XCTUnwrap(server.makeRequest("XRANGE", key, "-", "+").elements)
            .compactMap { $0.elements?[1].elements?[1].integer.map { Int($0) } }
    }

    func test_addsInOrderAndPublishesTheIdentifiers() throws {
        let server = try RealServer.shared()
        let stream = Redis(server.url).stream("s")
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        fields(1_000).publisher.add(to: stream, maxInFlight: 16).subscribe(subscriber)
        XCTAssertEqual(subscriber.ending(), .finished)
        XCTAssertEqual(try numbers(server), Array(0..<1_000))
        let ids = try XCTUnwrap(server.makeRequest("XRANGE", "s", "-", "+").elements).compactMap {
            $0.elements?[0].text
        }
        XCTAssertEqual(subscriber.values.map(\.description), ids)
    }

    func test_requestsWhatIsRequestedAndMayBeUnconfirmed() throws {
        let server = try RealServer.shared()
        let upstream = TestPublisher<EntryFields, RedisError>()
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.none)
        upstream.add(to: Redis(server.url).stream("s"), maxInFlight: 3).subscribe(subscriber)
        XCTAssertEqual(upstream.outstanding, .none)
        subscriber.request(.max(2))
        XCTAssertEqual(upstream.outstanding, .max(2))
        subscriber.request(.max(8))
        XCTAssertEqual(upstream.outstanding, .max(3))
        upstream.send(["n": "0"])
        subscriber.count(1)
        eventually("one more is requested") { upstream.outstanding == .max(3) }
        upstream.send(completion: .finished)
        XCTAssertEqual(subscriber.ending(), .finished)
        XCTAssertEqual(try numbers(server), [0])
    }

    func test_aFailureOfUpstreamWaitsForTheConfirmations() throws {
        let server = try RealServer.shared()
        let failure = RedisError(.closed, address: "x")
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        fields(100).publisher.setFailureType(to: RedisError.self).append(Fail(error: failure))
            .add(to: Redis(server.url).stream("s")).subscribe(subscriber)
        XCTAssertEqual(subscriber.ending(), .failure(failure))
        XCTAssertEqual(subscriber.values.count, 100)
    }

    func test_trims() throws {
        let server = try RealServer.shared()
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        fields(100).publisher.add(to: Redis(server.url).stream("s"), trimming: .toExactly(10)).subscribe(subscriber)
        subscriber.ending()
        XCTAssertEqual(try numbers(server), Array(90..<100))
    }

    func test_failsAtOnceWhenAnEntryIsRefused() throws {
        let server = try RealServer.shared()
        try server.makeRequest("SET", "s", "no stream")
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        fields(100).publisher.add(to: Redis(server.url).stream("s")).subscribe(subscriber)
        XCTAssertEqual(subscriber.ending()?.failure?.code, "WRONGTYPE")
        XCTAssertEqual(subscriber.completion?.failure?.command, "XADD")
        XCTAssertTrue(subscriber.values.isEmpty)
    }

    func test_failsForAnEntryThatNoServerAccepts() {
        let large = Bytes(capacity: 512 << 20 + 1) { $0.count }
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        [["n": large] as EntryFields].publisher.add(to: Redis("unix:///none").stream("s")).subscribe(subscriber)
        guard case .tooLarge = subscriber.ending()?.failure?.reason else {
            return XCTFail("\(String(describing: subscriber.completion))")
        }
        XCTAssertEqual(subscriber.completion?.failure?.command, "XADD")
    }

    func test_anIdentifierThatIsThereCountsAsAdded() throws {
        let server = try RealServer.shared()
        let redis = Redis(server.url)
        for _ in 0..<2 {
            let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
            fields(200).publisher
                .add(to: redis.stream("s"), id: { EntryID(UInt64($0.text("n")!)! + 1) }).subscribe(subscriber)
            XCTAssertEqual(subscriber.ending(), .finished)
            XCTAssertEqual(subscriber.values, (1...200).map { EntryID(UInt64($0)) })
        }
        XCTAssertEqual(try numbers(server), Array(0..<200))
        try server.makeRequest("XDEL", "s", "5-0")
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        fields(200).publisher
            .add(to: redis.stream("s"), id: { EntryID(UInt64($0.text("n")!)! + 1) }).subscribe(subscriber)
        XCTAssertEqual(subscriber.ending()?.failure?.code, "ERR")
        XCTAssertLessThanOrEqual(subscriber.values.count, 4)
    }

    /// What a lost connection has added may have been trimmed before it is sent again.
    func test_anIdentifierThatWasSentAndTrimmedCountsAsAdded() throws {
        let server = try RealServer.shared()
        let proxy = try Proxy(to: server) { number in (.none, number <= 60 ? .cut(after: number * 11) : .none) }
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(1), retries: nil)
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        fields(200).publisher
            .add(
                to: Redis(proxy.url, options: options).stream("s"), id: { EntryID(UInt64($0.text("n")!)! + 1) },
                trimming: .toExactly(3), maxInFlight: 8
            )
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.ending(), .finished)
        XCTAssertEqual(subscriber.values, (1...200).map { EntryID(UInt64($0)) })
        XCTAssertEqual(try numbers(server), [197, 198, 199])
        proxy.close()
    }

    /// The connection is cut again and again: everything arrives, what is repeated was unconfirmed, and nothing comes
    /// in another order.
    func test_losesNothingWhenTheConnectionIsCut() throws {
        let server = try RealServer.shared()
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(2), retries: nil)
        let redis = Redis(server.url, options: options)
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        let count = 20_000
        fields(count).publisher.add(to: redis.stream("s"), maxInFlight: 64)
            .subscribe(on: DispatchQueue.global()).subscribe(subscriber)
        var cuts = 0
        while subscriber.completion == nil {
            try server.makeRequest("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            cuts += 1
            let before = subscriber.values.count
            eventually("it goes on") { subscriber.completion != nil || subscriber.values.count > before + 100 }
        }
        XCTAssertEqual(subscriber.completion, .finished)
        XCTAssertGreaterThan(cuts, 1)
        XCTAssertEqual(subscriber.values.count, count)
        let numbers = try numbers(server)
        XCTAssertEqual(Set(numbers).count, count)
        var highest = -1
        for number in numbers {
            // What is repeated begins again with the first that is unconfirmed.
            XCTAssertLessThanOrEqual(number, highest + 1)
            XCTAssertGreaterThan(number, highest - 64)
            highest = max(highest, number)
        }
    }

    func test_losesNothingWhenTheServerIsKilled() throws {
        let server = try RealServer("--appendonly", "yes", "--appendfsync", "always")
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(5), retries: nil)
        let redis = Redis(server.url, options: options)
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        fields(5_000).publisher.add(to: redis.stream("s"), maxInFlight: 32)
            .subscribe(on: DispatchQueue.global()).subscribe(subscriber)
        for part in 1...2 {
            subscriber.count(part * 1_000)
            server.kill()
            try server.start()
        }
        XCTAssertEqual(subscriber.ending(), .finished)
        let there = Set(
            try XCTUnwrap(server.makeRequest("XRANGE", "s", "-", "+").elements).compactMap { $0.elements?[0].text })
        XCTAssertTrue(subscriber.values.allSatisfy { there.contains($0.description) })
        XCTAssertEqual(Set(try numbers(server)).count, 5_000)
    }
}
