import HeadgateCore
import HeadgateEngine
import HeadgateRedis
import HeadgateTesting
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

    func receive(subscriber: some Subscriber<Int, Failure>) {
        let conduit = ExchangeConduit<Int, Int, Failure>(limit: limit, AnySubscriber(subscriber))
        let waiting = Mutex<[(Int, Int)]>([])
        // Weak, as a partner's connection is.
        let answer: (Int) -> Void = { [weak conduit] most in
            let ready = waiting.withLock { waiting in
                let ready = Array(waiting.dropLast(most))
                waiting.removeFirst(ready.count)
                return ready
            }
            // The last first: they are delivered in order all the same.
            for (value, number) in ready.reversed() { conduit?.answer(value * 10, to: number) }
        }
        conduit.connect(
            upstream, name: "Exchange",
            to: .init(
                take: { value, number in
                    waiting.withLock { $0.append((value, number)) }
                    answer(lateness)
                }, flush: { answer(0) }),
            translate: { $0 })
    }
}

final class ContractTests: RedisTestCase {
    func test_anExchangeKeepsToTheContract() {
        for limit in [1, 4] {
            verify(operator: { Exchange(upstream: $0, limit: limit, lateness: 0) }, .endsWithUpstream)
                .check { XCTFail("limit \(limit): \($0)", file: $1, line: $2) }
        }
    }

    func test_anExchangeStandsThreads() {
        stress(operator: { upstream, _ in Exchange(upstream: upstream, limit: 4, lateness: 2) }, .endsWithUpstream)
            .check { XCTFail($0, file: $1, line: $2) }
    }

    private func few() -> HeadgateTesting.Effort {
        var effort = HeadgateTesting.Effort.normal
        effort.systematicScripts = 60
        effort.randomScripts = 5
        return effort
    }

    func test_entriesKeepToTheContract() throws {
        let server = try RealServer.shared()
        for number in 1...3 { try server.ask("XADD", "s", Bytes("\(number)-0"), "n", "x") }
        let stream = Redis(server.url).stream("s")
        verify(
            publisher: stream.entries(from: .between(EntryID(0), EntryID(.max))),
            [.finite, .asynchronous, .leavesValuesOut], effort: few()
        )
        .check { XCTFail($0, file: $1, line: $2) }
    }

    func test_commandsKeepToTheContract() throws {
        let redis = Redis(try RealServer.shared().url)
        verify(publisher: redis.command("ECHO", "x"), [.finite, .asynchronous], effort: few())
            .check { XCTFail($0, file: $1, line: $2) }
    }
}
