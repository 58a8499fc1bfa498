import Foundation
import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

/// Partitions on the nodes of a cluster.
final class ClusterPartitionTests: XCTestCase {
    private func outcome<Output>(_ publisher: AnyPublisher<Output, RedisError>) -> RedisError? {
        let subscriber = TestSubscriber<Output, RedisError>.checked(.unlimited)
        publisher.subscribe(subscriber)
        return subscriber.ending()?.failure
    }

    /// How many connections of this process a node has.
    private func connections(_ node: PortServer) -> Int {
        let clients = node.makeRequest("CLIENT", "LIST")?.text ?? ""
        return clients.split(separator: "\n").count { $0.contains("name=headgate-") }
    }

    func test_spreadsAndDelivers() throws {
        let cluster = try TestCluster()
        let redis = cluster.redis()
        let partitions = redis.partitions("orders", count: 32)
        let done = Guarded<[String: [Int]]>([:])
        let workers = (0..<2).map { _ in cluster.redis().partitions("orders", count: 32) }
        let subscribers = workers.enumerated().map { place, partitions in
            let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
            partitions.deliveries(
                group: "g", worker: Bytes("w\(place)"), lease: .seconds(3),
                deliveries: .atMost(2, then: partitions.redis.stream("failed")), retryingAfter: .milliseconds(10)
            )
            .filter { $0.fields["poison"] == nil }
            .handleEvents(receiveOutput: { delivery in
                done.withLock { $0[String(delivery.key), default: []].append(Int(String(delivery.fields["n"]!))!) }
            })
            .acknowledge(batch: 16, within: .milliseconds(1)).subscribe(subscriber)
            return subscriber
        }
        let adding = TestSubscriber<PartitionEntryID, RedisError>.checked(.unlimited)
        (0..<2_000).publisher.add(to: partitions, by: { Bytes("k\($0 % 50)") }) { number in
            number % 500 == 7 ? ["n": Bytes("\(number)"), "poison": "1"] : ["n": Bytes("\(number)")]
        }
        .subscribe(adding)
        XCTAssertEqual(adding.ending(), .finished)
        eventually("all are done") { done.withLock { $0.values.reduce(0) { $0 + Set($1).count } } == 1_996 }
        // What was repeated because an owner changed aside, each key is in its order.
        for (key, numbers) in done.withLock({ $0 }) {
            var seen: Set<Int> = []
            let first = numbers.filter { seen.insert($0).inserted }
            XCTAssertEqual(first, first.sorted(), key)
        }
        // Dead letters are in the slot of their partition.
        let key = partitions.partition(of: "k7")
        eventually("they are moved") {
            cluster.node(of: Bytes("failed:{\(key)}")).makeRequest("XLEN", Bytes("failed:{\(key)}"))?.integer == 4
        }
        // Both workers and the producer have shared connections; each worker has one more.
        for place in cluster.masters { XCTAssertLessThanOrEqual(connections(cluster.nodes[place]), 5) }
        let lags = TestSubscriber<[PartitionLag], RedisError>.checked(.unlimited)
        partitions.lag(of: "g", every: .milliseconds(50)).subscribe(lags)
        eventually("each has an owner") { lags.values.last?.count { $0.owner != nil } == 32 }
        XCTAssertEqual(lags.values[0].map(\.partition), Array(0..<32))
        lags.cancel()
        for subscriber in subscribers { subscriber.cancel() }
    }

    /// An entry wakes a worker that waits, wherever its partition is; also after the slot has moved.
    func test_entriesWakeAWorkerThatWaits() throws {
        let cluster = try TestCluster()
        // Connections without use are closed at once, but not those that are to tell of changes.
        let redis = cluster.redis(idleTime: .milliseconds(10))
        let partitions = redis.partitions("calm", count: 6)
        let events = TestSubscriber<PartitionEvent, Never>.checked(.unlimited)
        partitions.events.subscribe(events)
        let done = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        partitions.deliveries(group: "g", worker: "w").acknowledge(batch: 1).subscribe(done)
        eventually("it owns all") { events.values.count >= 6 }
        var added = 0
        for round in 0..<3 {
            for partition in 0..<6 {
                let stream = partitions.stream(partition)
                let start = ContinuousClock.now
                cluster.node(of: stream.key).makeRequest("XADD", stream.key, "*", "n", "1")
                added += 1
                done.count(added)
                // Nothing else would end the waiting before five seconds.
                if round != 1 { XCTAssertLessThan(ContinuousClock.now - start, .seconds(3)) }
            }
            let slot = cluster.slot(of: "{3}")
            cluster.move(slot, to: cluster.masters.first { $0 != cluster.owner(of: slot) }!)
        }
        done.cancel()
        events.cancel()
    }

    /// A node is killed when its replica has what was confirmed: its partitions go on there, with the same owner.
    func test_goesOnWhenANodeIsKilled() throws {
        let cluster = try TestCluster()
        let partitions = cluster.redis().partitions("killed", count: 12)
        let order = Guarded<[Int]>([])
        let done = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        partitions.deliveries(group: "g", worker: "w", lease: .seconds(10))
            .handleEvents(receiveOutput: { delivery in
                order.withLock { $0.append(Int(String(delivery.fields["n"]!)) ?? -1) }
            })
            .acknowledge(batch: 16, within: .milliseconds(1)).subscribe(done)
        let upstream = PassthroughSubject<Int, Never>()
        let adding = TestSubscriber<PartitionEntryID, RedisError>.checked(.unlimited)
        upstream.add(to: partitions, by: { Bytes("k\($0 % 24)") }, maxInFlight: 1_000) { ["n": Bytes("\($0)")] }
            .subscribe(adding)
        for number in 0..<300 { upstream.send(number) }
        adding.count(300)
        done.count(300)
        let master = cluster.owner(of: cluster.slot(of: "{0}"))
        cluster.waitForReplica(of: master)
        cluster.nodes[master].kill()
        for number in 300..<600 { upstream.send(number) }
        upstream.send(completion: .finished)
        XCTAssertEqual(adding.ending(), .finished)
        done.count(600)
        XCTAssertNil(done.completion)
        done.cancel()
        var seen: Set<Int> = []
        let first = order.withLock { $0 }.filter { seen.insert($0).inserted }
        XCTAssertEqual(first.count, 600)
        for key in 0..<24 {
            let ofKey = first.filter { $0 % 24 == key }
            XCTAssertEqual(ofKey, ofKey.sorted(), "\(key)")
        }
    }

    /// A node that is gone holds up its own partitions only, for as long as nobody takes its place.
    func test_othersGoOnWhileANodeIsGone() throws {
        let cluster = try TestCluster(["cluster-node-timeout 60000", "cluster-require-full-coverage no"])
        let partitions = cluster.redis().partitions("others", count: 12)
        let done = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        partitions.deliveries(group: "g", worker: "w", lease: .seconds(10)).acknowledge(batch: 1).subscribe(done)
        let owners = (0..<12).map { cluster.owner(of: cluster.slot(of: Bytes("{\($0)}"))) }
        for partition in 0..<12 {
            cluster.nodes[owners[partition]].makeRequest("XADD", partitions.stream(partition).key, "*", "n", "1")
        }
        done.count(12)
        let plan = cluster.owner(of: cluster.slot(of: "{partitions}"))
        let gone = try XCTUnwrap(owners.first { $0 != plan })
        cluster.nodes[gone].kill()
        let others = (0..<12).filter { owners[$0] != gone }
        for round in 1...3 {
            for partition in others {
                cluster.nodes[owners[partition]].makeRequest("XADD", partitions.stream(partition).key, "*", "n", "2")
            }
            done.count(12 + round * others.count)
        }
        XCTAssertNil(done.completion)
        done.cancel()
    }

    func test_namesWithBracesAreAFailure() throws {
        let redis = Redis("redis-cluster://127.0.0.1:1")
        let error = outcome(
            redis.partitions("orders", count: 2).deliveries(
                group: "g", worker: "w", deliveries: .atMost(1, then: redis.stream("{x}failed"))))
        guard case .differentSlots = error?.reason else { return XCTFail("\(String(describing: error))") }
    }
}
