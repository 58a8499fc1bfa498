import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import HeadgateVerification
import Synchronization
import TestSupport
import XCTest

/// Entries that are spread over partitions by their keys.
final class PartitionAddTests: RedisTestCase {
    private func redis(_ proxy: Proxy) -> Redis {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(1), retries: nil)
        return Redis(proxy.url, options: options)
    }

    private func entries(_ server: RealServer, _ key: Bytes) throws -> [(key: String, number: Int)] {
        try XCTUnwrap(server.makeRequest("XRANGE", key, "-", "+").elements).map { entry in
            let fields = try XCTUnwrap(entry.elements?[1].elements)
            XCTAssertEqual(fields[0].text, "headgate-key")
            XCTAssertEqual(fields[2].text, "n")
            return (fields[1].text ?? "", Int(fields[3].integer ?? -1))
        }
    }

    /// What the documentation's table says, so that programs in other languages agree.
    func test_thePartitionOfAKeyIsItsHash() {
        let redis = Redis("redis://127.0.0.1")
        let table: [(Bytes, Int, Int, Int)] = [
            ("", 0, 0, 0), ("a", 7, 7, 135), ("orders", 1, 41, 105), ("123456789", 3, 3, 451),
            ("customer-7", 5, 29, 93), ("Zoë", 4, 12, 332), ("日本", 5, 5, 709),
        ]
        for (key, of8, of64, of1024) in table {
            XCTAssertEqual(redis.partitions("s", count: 8).partition(of: key), of8)
            XCTAssertEqual(redis.partitions("s", count: 64).partition(of: key), of64)
            XCTAssertEqual(redis.partitions("s", count: 1_024).partition(of: key), of1024)
        }
        XCTAssertEqual(redis.partitions("s", count: 1).partition(of: Bytes([UInt8](repeating: 7, count: 1 << 20))), 0)
    }

    func test_addsEachEntryToThePartitionOfItsKey() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 4)
        let subscriber = TestSubscriber<PartitionEntryID, RedisError>.checked(.unlimited)
        (0..<100).publisher.add(to: partitions, by: { Bytes("k\($0 % 10)") }) { ["n": Bytes("\($0)")] }
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.ending(), .finished)
        var found: [String: [Int]] = [:]
        for partition in 0..<4 {
            for (key, number) in try entries(server, Bytes("s:{\(partition)}")) {
                XCTAssertEqual(partitions.partition(of: Bytes(key)), partition)
                found[key, default: []].append(number)
            }
        }
        XCTAssertEqual(found, Dictionary(grouping: 0..<100) { "k\($0 % 10)" })
        XCTAssertEqual(
            subscriber.values.map(\.partition), (0..<100).map { partitions.partition(of: Bytes("k\($0 % 10)")) })
        XCTAssertEqual(try server.number("GET", "s:{partitions}"), 4)
    }

    func test_anotherNumberOfPartitionsIsAFailureThatNamesBoth() throws {
        let server = try RealServer.shared()
        try server.makeRequest("SET", "s:{partitions}", "64")
        let partitions = Redis(server.url).partitions("s", count: 32)
        let subscriber = TestSubscriber<PartitionEntryID, RedisError>.checked(.unlimited)
        (0..<100).publisher.add(to: partitions, by: { _ in "k" }) { ["n": Bytes("\($0)")] }.subscribe(subscriber)
        let failure = try XCTUnwrap(subscriber.ending()?.failure)
        XCTAssertEqual(failure.reason, .partitionCount(stored: 64, asked: 32))
        XCTAssertTrue("\(failure)".contains("64") && "\(failure)".contains("32"), "\(failure)")
        XCTAssertEqual(try server.makeRequest("KEYS", "*").elements?.count, 1)
    }

    /// The order of one producer, over a connection that is cut at every byte.
    func test_keepsTheOrderOfEachKeyThroughCuts() throws {
        for requests in [true, false] {
            let server = try RealServer.shared()
            let proxy = try Proxy(to: server) { number in
                if number > 100 { return (.none, .none) }
                let fault = Proxy.Fault.cut(after: number * (requests ? 7 : 5))
                return requests ? (fault, .none) : (.none, fault)
            }
            let partitions = redis(proxy).partitions("s", count: 4)
            let subscriber = TestSubscriber<PartitionEntryID, RedisError>.checked(.unlimited)
            (0..<300).publisher.add(to: partitions, by: { Bytes("k\($0 % 7)") }, maxInFlight: 6) {
                ["n": Bytes("\($0)")]
            }.subscribe(subscriber)
            XCTAssertEqual(subscriber.ending(), .finished)
            XCTAssertGreaterThan(proxy.count, 40)
            var seen: Set<Int> = []
            for partition in 0..<4 {
                var highest: [String: Int] = [:]
                for (key, number) in try entries(server, Bytes("s:{\(partition)}")) {
                    seen.insert(number)
                    // What is sent again is the same, and nothing of its key before has been left out.
                    let last = highest[key] ?? number % 7 - 7
                    XCTAssertLessThanOrEqual(number, last + 7)
                    highest[key] = max(last, number)
                }
            }
            XCTAssertEqual(seen, Set(0..<300))
            proxy.close()
        }
    }

    func test_addsNothingTwiceWithIdentifiersPerPartition() throws {
        let server = try RealServer.shared()
        let proxy = try Proxy(to: server) { number in (.none, number > 50 ? .none : .cut(after: number * 11)) }
        let partitions = redis(proxy).partitions("s", count: 3)
        let subscriber = TestSubscriber<PartitionEntryID, RedisError>.checked(.unlimited)
        (0..<200).publisher.add(
            to: partitions, by: { Bytes("k\($0 % 9)") }, id: { EntryID(UInt64($0) + 1) }, maxInFlight: 8
        ) { ["n": Bytes("\($0)")] }.subscribe(subscriber)
        XCTAssertEqual(subscriber.ending(), .finished)
        let numbers = try (0..<3).flatMap { try entries(server, Bytes("s:{\($0)}")).map(\.number) }
        XCTAssertEqual(numbers.sorted(), Array(0..<200))
        XCTAssertEqual(subscriber.values.map(\.id), (1...200).map { EntryID(UInt64($0)) })
        proxy.close()
    }

    func test_takesKeysOfNoBytesAndOfAMegabyte() throws {
        let server = try RealServer.shared()
        let keys = [Bytes(), Bytes([UInt8](repeating: 0xFF, count: 1 << 20))]
        let subscriber = TestSubscriber<PartitionEntryID, RedisError>.checked(.unlimited)
        keys.publisher.add(to: Redis(server.url).partitions("s", count: 1), by: { $0 }) { _ in ["n": "1"] }
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.ending(), .finished)
        XCTAssertEqual(try server.number("XLEN", "s:{0}"), 2)
    }

    func test_addingToPartitionsKeepsToTheContract() throws {
        let partitions = Redis(try RealServer.shared().url).partitions("s", count: 2)
        var effort = HeadgateVerification.Effort.normal
        effort.systematicScripts = 20
        effort.randomScripts = 3
        effort.timeout = 200
        verify(
            operator: { upstream, _ in
                upstream.add(to: partitions, by: { Bytes("\($0)") }, id: { EntryID(UInt64($0)) }, maxInFlight: 4) {
                    ["n": Bytes("\($0)")]
                }
            },
            upstream: Array(1...8), failure: RedisError(.closed, address: "upstream"),
            [.endsWithUpstream, .asynchronous], effort: effort
        )
        .check { XCTFail($0, file: $1, line: $2) }
    }
}
