import Foundation
import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

/// The master is asked for, and again after a failover.
final class SentinelTests: XCTestCase {
    private func start() throws -> (servers: [PortServer], sentinels: [PortServer], url: String) {
        let master = try PortServer(["save \"\""])
        let replica = try PortServer([
            "save \"\"", "replicaof 127.0.0.1 \(master.port)", "repl-diskless-sync-delay 0",
        ])
        eventually("the replica follows") {
            replica.makeRequest("INFO", "replication")?.text?.contains("master_link_status:up") == true
        }
        let sentinels = try (0..<3).map { _ in
            try PortServer(
                [
                    "sentinel monitor mymaster 127.0.0.1 \(master.port) 2",
                    "sentinel down-after-milliseconds mymaster 500", "sentinel failover-timeout mymaster 2000",
                ], isSentinel: true)
        }
        for sentinel in sentinels {
            eventually("it knows the others") {
                let facts = sentinel.makeRequest("SENTINEL", "MASTER", "mymaster")?.elements ?? []
                func number(_ name: Bytes) -> Bytes? {
                    facts.firstIndex { $0.bytes == name }.map { facts[$0 + 1].bytes } ?? nil
                }
                return number("num-slaves") == "1" && number("num-other-sentinels") == "2"
            }
        }
        let url = "redis-sentinel://" + sentinels.map { "127.0.0.1:\($0.port)" }.joined(separator: ",") + "/mymaster"
        return ([master, replica], sentinels, url)
    }

    private func redis(_ url: String) -> Redis {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(20), retries: nil)
        options.answeringTime = .seconds(2)
        return Redis(url, options: options)
    }

    /// Producer and consumer go on where the master is, when one of the sentinels and then the master are gone.
    func test_followsTheMaster() throws {
        let (servers, sentinels, url) = try start()
        sentinels[0].kill()
        let redis = redis(url)
        let upstream = PassthroughSubject<EntryFields, Never>()
        let adding = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        upstream.add(to: redis.stream("s")).subscribe(adding)
        let done = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        redis.stream("s").deliveries(group: "g", consumer: "c").acknowledge().subscribe(done)
        upstream.send(["n": "1"])
        adding.count(1)
        done.count(1)
        XCTAssertEqual(servers[0].makeRequest("XLEN", "s"), .integer(1))
        eventually("the replica has it") { servers[1].makeRequest("XLEN", "s") == .integer(1) }
        servers[0].kill()
        upstream.send(["n": "2"])
        upstream.send(completion: .finished)
        XCTAssertEqual(adding.ending(), .finished)
        done.count(2)
        XCTAssertNil(done.completion)
        XCTAssertEqual(servers[1].makeRequest("XLEN", "s"), .integer(2))
        done.cancel()
    }

    func test_aFailureNamesWhatTheSentinelsSay() throws {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(1), retries: 2)
        let subscriber = TestSubscriber<RedisValue, RedisError>.checked(.unlimited)
        Redis("redis-sentinel://127.0.0.1:1,127.0.0.1:2/mymaster", options: options).command("PING")
            .subscribe(subscriber)
        let error = try XCTUnwrap(subscriber.ending()?.failure)
        guard case .noMaster(let words) = error.reason else { return XCTFail("\(error)") }
        XCTAssertTrue(words.contains("127.0.0.1:1") && words.contains("127.0.0.1:2"), words)
        XCTAssertEqual(error.address, "mymaster of 127.0.0.1:1,127.0.0.1:2")
    }

    /// What a sentinel still names is asked whether it is the master.
    func test_aReplicaIsNotUsedAsMaster() throws {
        let replica = try PortServer(["replicaof 127.0.0.1 1"])
        let sentinel = try PortServer(
            ["sentinel monitor mymaster 127.0.0.1 \(replica.port) 1"], isSentinel: true)
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(1), retries: 2)
        let subscriber = TestSubscriber<RedisValue, RedisError>.checked(.unlimited)
        Redis("redis-sentinel://127.0.0.1:\(sentinel.port)/mymaster", options: options).command("PING")
            .subscribe(subscriber)
        guard case .noMaster(let words) = subscriber.ending()?.failure?.reason else { return XCTFail() }
        XCTAssertTrue(words.contains("slave"), words)
    }
}
