import Foundation
import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

/// What is promised, over a connection that breaks in every place.
final class FaultTests: RedisTestCase {
    private func redis(_ proxy: Proxy, answeringTime: Duration = .seconds(10)) -> Redis {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(1), retries: nil)
        options.answeringTime = answeringTime
        return Redis(proxy.url, options: options)
    }

    private func fields(_ numbers: Range<Int>) -> [EntryFields] { numbers.map { ["n": Bytes("\($0)")] } }

    private func numbers(_ server: RealServer) throws -> [Int] {
        try XCTUnwrap(server.makeRequest("XRANGE", "s", "-", "+").elements)
            .compactMap { $0.elements?[1].elements?[1].integer.map { Int($0) } }
    }

    /// The first connections are cut after one byte more each time: in the greeting, in a command, in its reply.
    private func cutting(_ server: RealServer, requests: Bool, step: Int, count: Int) throws -> Proxy {
        try Proxy(to: server) { number in
            if number > count { return (.none, .none) }
            let fault = Proxy.Fault.cut(after: number * step)
            return requests ? (fault, .none) : (.none, fault)
        }
    }

    func test_addsEverythingInOrderWhateverByteOfARequestOrReplyIsTheLast() throws {
        for requests in [true, false] {
            let server = try RealServer.shared()
            let proxy = try cutting(server, requests: requests, step: requests ? 3 : 5, count: 120)
            let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
            fields(0..<300).publisher.add(to: redis(proxy).stream("s"), maxInFlight: 4).subscribe(subscriber)
            XCTAssertEqual(subscriber.ending(), .finished)
            XCTAssertGreaterThan(proxy.count, 60)
            let numbers = try numbers(server)
            XCTAssertEqual(Set(numbers), Set(0..<300))
            var highest = -1
            for number in numbers {
                XCTAssertLessThanOrEqual(number, highest + 1)
                XCTAssertGreaterThan(number, highest - 4)
                highest = max(highest, number)
            }
            proxy.close()
        }
    }

    func test_addsNothingTwiceWithIdentifiersOfTheCallersOwn() throws {
        let server = try RealServer.shared()
        let proxy = try cutting(server, requests: false, step: 11, count: 60)
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        fields(0..<200).publisher
            .add(to: redis(proxy).stream("s"), id: { EntryID(UInt64($0.text("n")!)! + 1) }, maxInFlight: 8)
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.ending(), .finished)
        XCTAssertEqual(subscriber.values, (1...200).map { EntryID(UInt64($0)) })
        XCTAssertEqual(try numbers(server), Array(0..<200))
        proxy.close()
    }

    func test_deliversAndAcknowledgesEverythingWhateverByteIsTheLast() throws {
        for requests in [true, false] {
            let server = try RealServer.shared()
            let count = 200
            for number in 0..<count { try server.makeRequest("XADD", "s", "*", "n", Bytes("\(number)")) }
            let proxy = try cutting(server, requests: requests, step: requests ? 9 : 13, count: 90)
            let seen = Guarded<[Int]>([])
            let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
            redis(proxy).stream("s").deliveries(group: "g", consumer: "a", takeOverAfter: .milliseconds(200))
                .handleEvents(receiveOutput: { delivery in
                    seen.withLock { $0.append(Int(delivery.fields.text("n")!)!) }
                })
                .acknowledge(batch: 7).subscribe(subscriber)
            subscriber.count(count)
            XCTAssertEqual(try server.pending("s", "g"), 0)
            // In this process, so none came twice: what it held was not delivered to it again.
            XCTAssertEqual(seen.withLock { $0 }.sorted(), Array(0..<count))
            XCTAssertEqual(Set(subscriber.values).count, count)
            subscriber.cancel()
            proxy.close()
        }
    }

    /// What the server has yet to read from a connection that is lost is not executed after what is sent again.
    func test_addsInOrderThoughTheServerDoesNotKnowOfTheLoss() throws {
        let server = try RealServer.shared()
        for after in [100, 150, 230] {
            try server.makeRequest("DEL", "s")
            let proxy = try Proxy(to: server) { number in (number == 1 ? .late(after: after) : .none, .none) }
            let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
            fields(0..<200).publisher.add(to: redis(proxy).stream("s"), maxInFlight: 8).subscribe(subscriber)
            XCTAssertEqual(subscriber.ending(), .finished)
            eventually("what comes late comes nowhere any more") { proxy.lateEnds == 1 }
            let numbers = try numbers(server)
            XCTAssertEqual(Set(numbers), Set(0..<200))
            var highest = -1
            for number in numbers {
                XCTAssertLessThanOrEqual(number, highest + 1)
                XCTAssertGreaterThan(number, highest - 8, "after \(after)")
                highest = max(highest, number)
            }
            XCTAssertGreaterThan(proxy.count, 1)
            proxy.close()
        }
    }

    /// A read that waits at the server for a client that has gone takes no entry.
    func test_deliversThoughTheServerDoesNotKnowOfTheLoss() throws {
        let server = try RealServer.shared()
        let proxy = try Proxy(to: server) { _ in (.unnoticed, .none) }
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        redis(proxy).stream("s").deliveries(group: "g", consumer: "c", takeOverAfter: nil).subscribe(subscriber)
        for number in 1...3 {
            eventually("it waits, and nobody else does") {
                // The one that commands share is opened once.
                proxy.count == number + 1
                    && (try? server.makeRequest("INFO", "clients").text?.contains("blocked_clients:1")) == true
            }
            try server.makeRequest("XADD", "s", "*", "n", Bytes("\(number)"))
            subscriber.count(number)
            proxy.cutClients()
        }
        XCTAssertEqual(subscriber.values.compactMap { $0.fields.text("n") }, ["1", "2", "3"])
        subscriber.cancel()
        proxy.close()
    }

    /// Each entry on which work always fails is moved once, whatever connection is cut.
    func test_movesEachEntryOnceWhateverByteIsTheLast() throws {
        for requests in [true, false] {
            let server = try RealServer.shared()
            let count = 60
            for number in 0..<count { try server.makeRequest("XADD", "s", "*", "n", Bytes("\(number)")) }
            let proxy = try cutting(server, requests: requests, step: requests ? 17 : 19, count: 90)
            let redis = redis(proxy)
            let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
            redis.stream("s").deliveries(
                group: "g", consumer: "a", takeOverAfter: .milliseconds(20),
                deliveries: .atMost(2, then: redis.stream("dead"))
            )
            .filter { $0.count > 9 }.subscribe(subscriber)
            eventually("all are moved") {
                (try? server.pending("s", "g")) == 0 && (try? server.number("XLEN", "dead")) == count
            }
            let dead = try XCTUnwrap(server.makeRequest("XRANGE", "dead", "-", "+").elements)
            let numbers = dead.compactMap { $0.elements?[1].elements?[1].integer.map { Int($0) } }
            XCTAssertEqual(numbers.sorted(), Array(0..<count))
            XCTAssertTrue(subscriber.values.isEmpty)
            subscriber.cancel()
            proxy.close()
        }
    }

    func test_readsTheSameHoweverSmallThePieces() throws {
        let server = try RealServer.shared()
        for size in [1, 2, 7] {
            try server.makeRequest("DEL", "s")
            let proxy = try Proxy(to: server) { _ in (.split(size), .split(size)) }
            let redis = redis(proxy)
            let adding = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
            fields(0..<50).publisher.add(to: redis.stream("s")).subscribe(adding)
            XCTAssertEqual(adding.ending(), .finished)
            let reading = TestSubscriber<Entry, RedisError>.checked(.unlimited)
            redis.stream("s").entries(from: .between(EntryID(0), EntryID(.max, .max))).subscribe(reading)
            XCTAssertEqual(reading.ending(), .finished)
            XCTAssertEqual(reading.values.map(\.id), adding.values)
            proxy.close()
        }
    }

    func test_aConnectionThatIsHalfOpenIsGivenUp() throws {
        let server = try RealServer.shared()
        // The first two go silent after the greeting: in a command, and in its reply.
        let proxy = try Proxy(to: server) { number in
            switch number {
            case 1: (.stall(after: 40), .none)
            case 2: (.none, .stall(after: 200))
            default: (.none, .none)
            }
        }
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        fields(0..<50).publisher
            .add(to: redis(proxy, answeringTime: .milliseconds(100)).stream("s"), maxInFlight: 4).subscribe(subscriber)
        XCTAssertEqual(subscriber.ending(), .finished)
        XCTAssertEqual(Set(try numbers(server)), Set(0..<50))
        XCTAssertGreaterThanOrEqual(proxy.count, 3)
        proxy.close()
    }

    func test_leavesNoDescriptorBehind() throws {
        let server = try RealServer.shared()
        func round() throws {
            var options = RedisOptions()
            options.retrying = .constant(.milliseconds(1), retries: nil)
            let redis = Redis(server.url, options: options)
            let subscribers = (0..<5).map { number in
                let subscriber = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
                redis.stream("s").deliveries(group: "g", consumer: Bytes("\(number)")).subscribe(subscriber)
                return subscriber
            }
            try server.makeRequest("XADD", "s", "*", "n", "1")
            eventually("an entry") { subscribers.contains { !$0.values.isEmpty } }
            try server.makeRequest("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            try server.makeRequest("XADD", "s", "*", "n", "2")
            eventually("another") { subscribers.reduce(0) { $0 + $1.values.count } >= 2 }
            subscribers.forEach { $0.cancel() }
            try server.makeRequest("DEL", "s")
        }
        try round()
        eventually("all are closed at the server") { server.isAlone }
        // Those of the first round and of earlier tests may still be about to be closed.
        standsStill("the number of sockets") { ProcessMemory.sockets + 1 }
        let before = ProcessMemory.sockets
        for _ in 0..<20 { try round() }
        eventually("all are closed again but \(before), \(ProcessMemory.sockets)") {
            server.isAlone && ProcessMemory.sockets <= before
        }
    }
}
