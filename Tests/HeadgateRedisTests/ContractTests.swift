import HeadgateCore
import HeadgateEngine
import HeadgateRedis
import HeadgateTesting
import HeadgateVerification
import Synchronization
import TestSupport
import XCTest

/// Sends its values to a partner that answers each with its tenfold.
private struct Exchange<Upstream: Publisher>: Publisher where Upstream.Output == Int {
    typealias Output = Int
    typealias Failure = Upstream.Failure

    let upstream: Upstream
    let limit: Int

    /// How many answers wait until a further value has come; all are given when no further one comes.
    let lateness: Int

    /// Which values have no answer.
    var isSkipped: (Int) -> Bool = { _ in false }

    func receive(subscriber: some Subscriber<Int, Failure>) {
        let conduit = ExchangeConduit<Int, Failure, Int, Failure>(
            name: "Exchange", limit: limit, AnySubscriber(subscriber), translate: { $0 })
        let waiting = Guarded<[(Int, Int)]>([])
        // Weak, as a partner's connection is.
        let answer: (Int) -> Void = { [weak conduit] most in
            let ready = waiting.withLock { waiting in
                let ready = Array(waiting.dropLast(most))
                waiting.removeFirst(ready.count)
                return ready
            }
            // The last first: they are delivered in order all the same.
            for (value, number) in ready.reversed() {
                let output: Int? = isSkipped(value) ? nil : value * 10
                conduit?.answer([(output: output, number: number)])
            }
        }
        conduit.connect(
            upstream,
            to: .init(
                take: { value, number in
                    waiting.withLock { $0.append((value, number)) }
                    answer(lateness)
                }, flush: { answer(0) }))
    }
}

final class ContractTests: RedisTestCase {
    func test_anExchangeKeepsToTheContract() {
        for limit in [1, 4] {
            verify(operator: { Exchange(upstream: $0, limit: limit, lateness: 0) }, .endsWithUpstream)
                .check { XCTFail("limit \(limit): \($0)", file: $1, line: $2) }
        }
    }

    func test_anExchangeDeliversNothingForAValueWithoutAnAnswer() {
        for limit in [1, 4] {
            let subscriber = TestSubscriber<Int, Never>.checked(.first(2))
            Exchange(upstream: (1...9).publisher, limit: limit, lateness: 0) { $0 % 3 == 1 || $0 == 9 }
                .subscribe(subscriber)
            XCTAssertEqual(subscriber.values, [20, 30])
            subscriber.request(3)
            XCTAssertEqual(subscriber.values, [20, 30, 50, 60, 80])
            XCTAssertNil(subscriber.completion, "it can't know that the rest has no answer")
            subscriber.request(1)
            XCTAssertEqual(subscriber.values.count, 5)
            XCTAssertEqual(subscriber.completion, .finished)
        }
    }

    func test_anExchangeIsThreadSafe() {
        stress(operator: { upstream, _ in Exchange(upstream: upstream, limit: 4, lateness: 2) }, .endsWithUpstream)
            .check { XCTFail($0, file: $1, line: $2) }
    }

    func test_aSubscriptionThatComesAfterTheEndIsCancelledAndReleased() {
        final class Late: Subscription {
            let isCancelled: XCTestExpectation

            init(_ isCancelled: XCTestExpectation) { self.isCancelled = isCancelled }

            func request(_ demand: Subscribers.Demand) {}

            func cancel() { isCancelled.fulfill() }
        }
        let subscriber = TestSubscriber<Int, SystemError>(.unlimited)
        let conduit = ExchangeConduit<Int, SystemError, Int, SystemError>(
            name: "Exchange", limit: 1, AnySubscriber(subscriber), translate: { $0 })
        conduit.connect(Empty(completeImmediately: false), to: .init(take: { _, _ in }))
        subscriber.cancel()
        let isCancelled = expectation(description: "cancelled")
        weak var released: Late?
        do {
            let late = Late(isCancelled)
            released = late
            conduit.receive(subscription: late)
        }
        wait(for: [isCancelled], timeout: 0)
        XCTAssertNil(released)
        withExtendedLifetime(conduit) {}
    }

    private func few() -> HeadgateVerification.Effort {
        var effort = HeadgateVerification.Effort.normal
        effort.systematicScripts = 20
        effort.randomScripts = 3
        // A script that ends before the server has replied waits for so long.
        effort.timeout = 200
        return effort
    }

    func test_entriesKeepToTheContract() throws {
        let server = try RealServer.shared()
        for number in 1...3 { try server.makeRequest("XADD", "s", Bytes("\(number)-0"), "n", "x") }
        let stream = Redis(server.url).stream("s")
        verify(
            publisher: stream.entries(from: .between(EntryID(0), EntryID(.max))),
            [.finite, .asynchronous, .leavesValuesOut], effort: few()
        )
        .check { XCTFail($0, file: $1, line: $2) }
    }

    func test_deliveriesKeepToTheContract() throws {
        let server = try RealServer.shared()
        for number in 1...3 { try server.makeRequest("XADD", "s", Bytes("\(number)-0"), "n", "x") }
        // Pending for the consumer, so each subscriber has the same ones delivered.
        try server.makeRequest("XGROUP", "CREATE", "s", "g", "0")
        try server.makeRequest("XREADGROUP", "GROUP", "g", "c", "STREAMS", "s", ">")
        let stream = Redis(server.url).stream("s")
        verify(
            publisher: stream.deliveries(group: "g", consumer: "c").map(\.id).prefix(3),
            [.finite, .asynchronous, .holdsSubscribers], effort: few()
        )
        .check { XCTFail($0, file: $1, line: $2) }
    }

    func test_messagesKeepToTheContract() throws {
        let server = try RealServer.shared()
        let redis = Redis(server.url)
        // A channel for each subscriber: the server may not have noticed yet that the one before has gone.
        let number = Atomic(0)
        var fewest = few()
        fewest.systematicScripts = 4
        fewest.randomScripts = 0
        func channel() -> Bytes { Bytes("news-\(number.load(ordering: .relaxed))") }
        verify(
            publisher: {
                number.add(1, ordering: .relaxed)
                return redis.messages(channels: [channel()])
            }(), [.hot, .asynchronous], effort: fewest,
            settle: {
                // Somebody may be about to listen, or nobody.
                for _ in 0..<8 where (try? server.number("PUBLISH", channel(), "x")) != 0 { return }
            }
        )
        .check { XCTFail($0, file: $1, line: $2) }
    }

    func test_addingKeepsToTheContract() throws {
        let stream = Redis(try RealServer.shared().url).stream("s")
        let fields = (1...8).map { ["n": Bytes("\($0)")] as EntryFields }
        // Identifiers of its own: those of one run are those of the next, although the entries are there.
        verify(
            operator: { upstream, _ in
                upstream.add(to: stream, id: { EntryID(UInt64($0.text("n") ?? "") ?? 0) }, maxInFlight: 4)
            },
            upstream: fields, failure: RedisError(.closed, address: "upstream"), [.endsWithUpstream, .asynchronous],
            effort: few()
        )
        .check { XCTFail($0, file: $1, line: $2) }
    }

    func test_acknowledgingKeepsToTheContract() throws {
        let server = try RealServer.shared()
        for number in 1...8 { try server.makeRequest("XADD", "s", Bytes("\(number)-0"), "n", "x") }
        let subscriber = TestSubscriber<HeadgateRedis.Delivery, RedisError>.checked(.first(8))
        Redis(server.url).stream("s").deliveries(group: "g", consumer: "c").subscribe(subscriber)
        subscriber.count(8)
        // Once acknowledged, an entry is acknowledged again without an effect.
        verify(
            operator: { upstream, _ in upstream.acknowledge(batch: 3, within: .milliseconds(1)) },
            upstream: subscriber.values, failure: RedisError(.closed, address: "upstream"),
            [.endsWithUpstream, .asynchronous], effort: few()
        )
        .check { XCTFail($0, file: $1, line: $2) }
        subscriber.cancel()
    }

    func test_commandsKeepToTheContract() throws {
        let redis = Redis(try RealServer.shared().url)
        verify(publisher: redis.command("ECHO", "x"), [.finite, .asynchronous], effort: few())
            .check { XCTFail($0, file: $1, line: $2) }
    }
}

/// The same sources and sinks, while several threads request and cancel.
final class ContractConcurrencyTests: RedisTestCase {
    private let effort = StressEffort(rounds: 20, values: 20)

    /// A stream `s` with entries, and its server.
    private func server(_ count: Int = 20) throws -> RealServer {
        let server = try RealServer.shared()
        for number in 1...count { try server.makeRequest("XADD", "s", Bytes("\(number)-0"), "n", "x") }
        return server
    }

    func test_entriesAreThreadSafe() throws {
        let stream = Redis(try server().url).stream("s")
        stress(
            publisher: stream.entries(from: .between(EntryID(0), EntryID(.max))), [.finite, .leavesValuesOut],
            effort: effort, settle: {}
        )
        .check { XCTFail($0, file: $1, line: $2) }
    }

    func test_deliveriesAreThreadSafe() throws {
        let server = try server()
        try server.makeRequest("XGROUP", "CREATE", "s", "g", "0")
        try server.makeRequest("XREADGROUP", "GROUP", "g", "c", "STREAMS", "s", ">")
        let stream = Redis(server.url).stream("s")
        stress(
            publisher: stream.deliveries(group: "g", consumer: "c").map(\.id).prefix(20),
            [.finite, .holdsSubscribers], effort: effort, settle: {}
        )
        .check { XCTFail($0, file: $1, line: $2) }
    }

    func test_commandsAreThreadSafe() throws {
        let redis = Redis(try RealServer.shared().url)
        stress(publisher: redis.command("ECHO", "x"), .finite, effort: effort, settle: {})
            .check { XCTFail($0, file: $1, line: $2) }
    }

    func test_addingIsThreadSafe() throws {
        let stream = Redis(try RealServer.shared().url).stream("s")
        stress(
            operator: { upstream, _ in
                upstream.map { ["n": Bytes("\($0)")] as EntryFields }.mapError { $0 as any Error }
                    // Identifiers of its own: those of one round are those of the next, although the entries are there.
                    .add(to: stream, id: { EntryID(1 + (UInt64($0.text("n") ?? "") ?? 0)) })
            }, .endsWithUpstream, effort: effort, settle: {}
        )
        .check { XCTFail($0, file: $1, line: $2) }
    }

    func test_acknowledgingIsThreadSafe() throws {
        let server = try server()
        let subscriber = TestSubscriber<HeadgateRedis.Delivery, RedisError>.checked(.first(20))
        Redis(server.url).stream("s").deliveries(group: "g", consumer: "c").subscribe(subscriber)
        subscriber.count(20)
        let deliveries = subscriber.values
        stress(
            operator: { upstream, _ in
                upstream.map { deliveries[abs($0) % deliveries.count] }.mapError { $0 as any Error }
                    .acknowledge(batch: 3, within: .milliseconds(1))
            }, .endsWithUpstream, effort: effort, settle: {}
        )
        .check { XCTFail($0, file: $1, line: $2) }
        subscriber.cancel()
    }

    func test_deliveriesOfPartitionsAreThreadSafe() throws {
        // The order of partitions among each other depends on which has been read.
        try stressDeliveries(ofPartitions: 4, .merges)
    }

    func test_deliveriesOfOnePartitionKeepTheirOrder() throws { try stressDeliveries(ofPartitions: 1, []) }

    private func stressDeliveries(ofPartitions count: Int, _ capabilities: Capabilities) throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: count)
        try server.add((0..<20).map { (Bytes("k\($0)"), $0) }, to: partitions)
        let groups = Guarded(0)
        stress(
            // A group for each subscription: what another has left would come later.
            publisher: Deferred {
                let group = groups.withLock { number in
                    number += 1
                    return Bytes("g\(number)")
                }
                return partitions.deliveries(group: group, worker: "w").map(\.number).prefix(20)
            }, capabilities.union([.finite, .holdsSubscribers, .leavesValuesOut]), effort: effort, settle: {}
        )
        .check { XCTFail($0, file: $1, line: $2) }
    }

    func test_addingToPartitionsIsThreadSafe() throws {
        let partitions = Redis(try RealServer.shared().url).partitions("s", count: 4)
        stress(
            operator: { upstream, _ in
                upstream.mapError { $0 as any Error }
                    .add(to: partitions, by: { Bytes("\($0)") }, id: { EntryID(1 + UInt64(abs($0))) }) {
                        ["n": Bytes("\($0)")]
                    }
            }, .endsWithUpstream, effort: effort, settle: {}
        )
        .check { XCTFail($0, file: $1, line: $2) }
    }

    /// Several workers whose deliveries are acknowledged on other threads, while they come and go.
    func test_workersOfPartitionsAreThreadSafe() throws {
        let server = try RealServer.shared()
        let partitions = Redis(server.url).partitions("s", count: 8)
        try server.add((0..<400).map { (Bytes("k\($0 % 40)"), $0) }, to: partitions)
        let done = Guarded<[EntryID: Int]>([:])
        onThreads(4) { number in
            for round in 0..<3 {
                let worker = partitions.deliveries(group: "g", worker: Bytes("w\(number)-\(round)"), lease: .seconds(1))
                    .asyncMap(maxConcurrent: 8, ordered: false) { delivery async throws(RedisError) in
                        await Task.yield()
                        return delivery
                    }
                    .acknowledge(batch: 4, within: .milliseconds(1))
                    .sink(
                        receiveCompletion: { XCTFail("\($0)") },
                        receiveValue: { id in done.withLock { $0[id, default: 0] += 1 } })
                usleep(60_000)
                worker.cancel()
            }
        }
        let last = partitions.deliveries(group: "g", worker: "last", lease: .seconds(1)).acknowledge(
            within: .milliseconds(1)
        )
        .sink(
            receiveCompletion: { XCTFail("\($0)") },
            receiveValue: { id in done.withLock { $0[id, default: 0] += 1 } })
        eventually("all are acknowledged") {
            (try? server.pending(partitions, "g")) == 0
                && (0..<8).allSatisfy { partition in
                    let facts = try? server.makeRequest("XINFO", "GROUPS", Bytes("s:{\(partition)}")).elements?.first?
                        .elements
                    let place = facts?.firstIndex { $0.bytes == "last-delivered-id" }
                    let newest = try? server.makeRequest("XREVRANGE", Bytes("s:{\(partition)}"), "+", "-", "COUNT", "1")
                    let id = newest?.elements?.first?.elements?.first?.bytes
                    return id == nil || place.map { facts?[$0 + 1].bytes } == id
                }
        }
        last.cancel()
    }
}
