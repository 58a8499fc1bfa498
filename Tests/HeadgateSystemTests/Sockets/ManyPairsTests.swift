import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// Relays of which half have nothing to do, and half have a target that reads nothing.
final class ManyPairsTests: XCTestCase {
    private var limit = rlimit()

    override func setUp() {
        super.setUp()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var high = limit
        high.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &high)
    }

    override func tearDown() {
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        super.tearDown()
    }

    func test_idleAndStalledPairsTakeNoThreadAndNoticeThatTheirClientsAreGone() throws {
        // Each has four descriptors: two of the relay, and those of its client and its target.
        let possible = (Int(clamping: limit.rlim_max) - openDescriptorCount() - 100) / 4
        let count = min(10_000, possible)
        let options = SocketOptions(sendBufferSize: 1 << 12, receiveBufferSize: 1 << 12)
        let front = try TestServer(.unix, options: options)
        let back = try TestServer(.unix, options: options)
        let ended = Guarded(0)
        var clients: [PlainClient] = []
        var targets: [PlainClient] = []
        let block = [UInt8](repeating: 1, count: 1 << 12)

        func open(_ more: Int) {
            for _ in 0..<more {
                let number = clients.count
                clients.append(PlainClient(front.address))
                targets.append(PlainClient(back.address))
                if number % 500 == 499 { eventually { back.subscriber.values.count == number + 1 } }
            }
            eventually {
                front.subscriber.values.count == clients.count && back.subscriber.values.count == clients.count
            }
            let (sources, sinks) = (front.subscriber.values, back.subscriber.values)
            for number in (clients.count - more)..<clients.count {
                // With something unread, closing a client is a reset.
                Just(Bytes("welcome")).write(to: sources[number], keepsOpen: true) { _ in }
                sources[number].bytes(chunkSize: 1 << 12)
                    .write(to: sinks[number], bufferSize: 1 << 12) { _ in ended.withLock { $0 += 1 } }
            }
            for number in stride(from: clients.count - more, to: clients.count, by: 2) {
                var small: Int32 = 1 << 12
                setsockopt(clients[number].number, SOL_SOCKET, SO_SNDBUF, &small, 4)
                var refusals = 0
                eventually("the relay reads no more") {
                    let sent = send(
                        clients[number].number, block, block.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                    refusals = sent < 0 ? refusals + 1 : 0
                    return refusals == 3
                }
            }
        }

        // Those who serve them all are there already.
        open(min(100, count))
        var base = 0
        eventually("the threads of a hundred have nothing to do") {
            defer { base = threadCount() }
            return threadCount() == base
        }
        open(count - clients.count)
        eventually("\(count) take no thread: \(threadCount()) instead of \(base)") { threadCount() <= base + 2 }
        XCTAssertEqual(ended.withLock { $0 }, 0)
        for client in clients { client.reset() }
        eventually("all have ended, not only \(ended.withLock { $0 })") { ended.withLock { $0 } == count }
        withExtendedLifetime(targets) {}
    }
}
