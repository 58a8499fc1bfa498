import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

final class EntriesTests: RedisTestCase {
    private func server(_ count: Int) throws -> RealServer {
        let server = try RealServer.shared()
        for number in 0..<count { try add(number, server) }
        return server
    }

    private func add(_ number: Int, _ server: RealServer) throws {
        try server.makeRequest("XADD", "s", Bytes("\(number + 1)-0"), "n", Bytes("\(number)"))
    }

    private func numbers(_ values: [Entry]) -> [Int] { values.compactMap { $0.fields.text("n").flatMap { Int($0) } } }

    private func entries(
        _ server: RealServer, from start: EntryStart, _ demand: DemandScript = .unlimited
    ) -> TestSubscriber<Entry, RedisError> {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(2), retries: nil)
        let subscriber = TestSubscriber<Entry, RedisError>.checked(demand)
        Redis(server.url, options: options).stream("s").entries(from: start).subscribe(subscriber)
        return subscriber
    }

    func test_readsFromTheBeginningAndFollowsTheEnd() throws {
        let server = try server(3)
        let subscriber = entries(server, from: .beginning, .oneByOneReentrantly)
        subscriber.count(3)
        try add(3, server)
        subscriber.count(4)
        XCTAssertEqual(numbers(subscriber.values), [0, 1, 2, 3])
        XCTAssertEqual(subscriber.values[3].id, EntryID(4))
        subscriber.cancel()
    }

    func test_readsNothingWithoutDemand() throws {
        let server = try server(3)
        let subscriber = entries(server, from: .beginning, .none)
        XCTAssertEqual(try server.makeRequest("CLIENT", "LIST").text?.split(separator: "\n").count, 1)
        subscriber.request(.max(2))
        subscriber.count(2)
        XCTAssertEqual(numbers(subscriber.values), [0, 1])
        subscriber.cancel()
    }

    func test_readsFromTheEndOn() throws {
        for count in [0, 3] {
            let server = try server(count)
            let subscriber = entries(server, from: .end)
            eventually("it waits") {
                (try? server.makeRequest("INFO", "clients").text?.contains("blocked_clients:1")) == true
            }
            try add(10, server)
            subscriber.count(1)
            XCTAssertEqual(numbers(subscriber.values), [10])
            subscriber.cancel()
        }
    }

    func test_readsAfterAnEntryAndBetweenTwo() throws {
        let server = try server(10)
        let after = entries(server, from: .after(EntryID(8)))
        after.count(2)
        XCTAssertEqual(numbers(after.values), [8, 9])
        after.cancel()
        for demand in [DemandScript.unlimited, .oneByOne] {
            let between = entries(server, from: .between(EntryID(3), EntryID(6)), demand)
            XCTAssertEqual(between.ending(), .finished)
            XCTAssertEqual(numbers(between.values), [2, 3, 4, 5])
        }
        let none = entries(server, from: .between(EntryID(30), EntryID(60)))
        XCTAssertEqual(none.ending(), .finished)
        XCTAssertTrue(none.values.isEmpty)
    }

    func test_continuesWhereItWasAfterALostConnection() throws {
        let server = try server(0)
        let subscriber = entries(server, from: .beginning)
        for number in 0..<200 {
            try add(number, server)
            if number % 20 == 0 { try server.makeRequest("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes") }
        }
        subscriber.count(200)
        XCTAssertEqual(numbers(subscriber.values), Array(0..<200))
        subscriber.cancel()
    }

    func test_survivesThatTheKeyVanishes() throws {
        let server = try server(2)
        let subscriber = entries(server, from: .beginning)
        subscriber.count(2)
        try server.makeRequest("DEL", "s")
        try add(5, server)
        subscriber.count(3)
        XCTAssertEqual(numbers(subscriber.values), [0, 1, 5])
        subscriber.cancel()
    }

    func test_failsForAKeyOfAnotherKind() throws {
        let server = try RealServer.shared()
        try server.makeRequest("SET", "s", "x")
        for start in [EntryStart.beginning, .end, .between(EntryID(0), EntryID(9))] {
            XCTAssertEqual(entries(server, from: start).ending()?.failure?.code, "WRONGTYPE")
        }
    }

    func test_readsFields() {
        let fields: EntryFields = ["a": "1", "b": "", "a": "2"]
        XCTAssertEqual(fields.count, 3)
        XCTAssertEqual(fields["a"], "1")
        XCTAssertEqual(fields.text("b"), "")
        XCTAssertNil(fields["c"])
        XCTAssertEqual(EntryFields(["y": "2", "x": "1"]), ["x": "1", "y": "2"])
        XCTAssertEqual(fields.pairs.map { String($0.name) }, ["a", "b", "a"])
    }

    func test_readsIdentifiers() {
        XCTAssertEqual(EntryID("5-3"), EntryID(5, 3))
        XCTAssertEqual(EntryID("5"), EntryID(5, 0))
        XCTAssertEqual(EntryID("18446744073709551615-18446744073709551615"), EntryID(.max, .max))
        for text in ["", "-", "5-", "-5", "5-3-1", "x", "18446744073709551616", "+5"] {
            XCTAssertNil(EntryID(text), text)
        }
    }

    /// The server says where a group begins: that is what was written.
    func test_writesIdentifiersOfAnyLength() throws {
        // Empty: what is delivered moves the place.
        let server = try server(0)
        let stream = Redis(server.url).stream("s")
        for (number, id) in [
            EntryID(0, 9), EntryID(9, 10), EntryID(10, 99), EntryID(1_795_781_342_034, 100), EntryID(.max, 0),
            EntryID(.max, .max),
        ].enumerated() {
            let deliveries = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
            stream.deliveries(group: Bytes("g\(number)"), consumer: "c", startingAt: .after(id)).subscribe(deliveries)
            var place: String?
            eventually("the group is there") {
                let groups = (try? server.makeRequest("XINFO", "GROUPS", "s").elements) ?? []
                let facts = groups.compactMap(\.elements).first { $0[1].text == "g\(number)" }
                place = facts?.firstIndex { $0.text == "last-delivered-id" }.flatMap { facts?[$0 + 1].text }
                return place != nil
            }
            XCTAssertEqual(place, "\(id.milliseconds)-\(id.sequence)")
            deliveries.cancel()
        }
    }

    func test_readsIdentifiersOfAnyLengthAndNoOtherCharacters() {
        let digits = Array("12345678901234567890".utf8)
        for length in 1...19 {
            let number = UInt64(String(decoding: digits.prefix(length), as: UTF8.self))!
            XCTAssertEqual(EntryID("\(number)-\(number)"), EntryID(number, number))
            for place in 0..<length {
                for byte in UInt8.min...UInt8.max where !(0x30...0x39 ~= byte) && byte != UInt8(ascii: "-") {
                    var text = Array(digits.prefix(length))
                    text[place] = byte
                    XCTAssertNil(EntryID(Bytes(text)), "\(byte) at \(place)")
                    XCTAssertNil(EntryID(Bytes([0x31, 0x2D] + text)), "\(byte) at \(place)")
                }
            }
        }
    }

    func test_readsAStreamThatIsMadeAnew() throws {
        let server = try RealServer.shared()
        let redis = Redis(server.url)
        let events = TestSubscriber<RedisEvent, Never>(.unlimited)
        redis.events.subscribe(events)
        for id in ["5-1", "5-2"] as [Bytes] { try server.makeRequest("XADD", "s", id, "n", "x") }
        let subscriber = TestSubscriber<Entry, RedisError>.checked(.unlimited)
        redis.stream("s").entries(from: .beginning).subscribe(subscriber)
        subscriber.count(2)
        server.waitForBlocked(1)
        // Nothing has happened.
        server.unblock("xread")
        server.waitForBlocked(1)
        XCTAssertFalse(events.values.contains(.streamReplaced("s")))
        try server.makeRequest("DEL", "s")
        for id in ["1-1", "1-2"] as [Bytes] { try server.makeRequest("XADD", "s", id, "n", "x") }
        server.unblock("xread")
        subscriber.count(4)
        XCTAssertEqual(subscriber.values.map(\.id), [EntryID(5, 1), EntryID(5, 2), EntryID(1, 1), EntryID(1, 2)])
        XCTAssertTrue(events.values.contains(.streamReplaced("s")))
        subscriber.cancel()
    }
}
