import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// Where a test listens: each promise holds for both kinds of sockets.
enum Kind: CaseIterable { case tcp, unix }

/// A listener and what it has accepted.
final class TestServer {
    let folder = Folder()
    let listener: Listener
    let address: SocketAddress
    let subscriber = TestSubscriber<Connection, SystemError>.checked(.unlimited)

    init(
        _ kind: Kind, options: SocketOptions = SocketOptions(), backlog: Int = 1024, calls: SystemCalls = .live,
        accepts: Bool = true
    ) throws {
        let place: SocketAddress = kind == .tcp ? .tcp(host: "127.0.0.1", port: 0) : .unix(path: folder["socket"])
        listener = Listener(place, backlog: backlog, options: options, calls: calls)
        address = try listener.bind()
        if accepts { listener.subscribe(subscriber) }
    }

    deinit { subscriber.cancel() }

    /// Opens a connection and takes both ends of it.
    func connect(_ calls: SystemCalls = .live, options: SocketOptions = SocketOptions()) throws -> (
        server: Connection, client: Connection
    ) {
        let before = subscriber.values.count
        let client = TestSubscriber<Connection, SystemError>.checked(.unlimited)
        Connection.connect(to: address, options: options, calls: calls).subscribe(client)
        eventually("connecting") { client.completion != nil && subscriber.values.count > before }
        return (try XCTUnwrap(subscriber.values.last), try XCTUnwrap(client.values.first))
    }
}

/// A pair of connections without a listener, over TCP or a Unix socket.
func connectionPair(_ kind: Kind, calls: SystemCalls = .live) throws -> (server: Connection, client: Connection) {
    try TestServer(kind, calls: calls).connect(calls)
}

/// Remembers how a writing has ended.
final class End<Failure: Error & Equatable>: Sendable {
    private let result = Guarded<Written<Failure>?>(nil)

    func notify(_ written: Written<Failure>) { result.withLock { $0 = written } }

    var written: Written<Failure>? { result.withLock { $0 } }

    /// Waits for it.
    func wait() -> Written<Failure>? {
        eventually("the writing has ended") { written != nil }
        return written
    }
}

extension TestSubscriber where Input == Bytes {
    /// All values in one.
    var text: String { values.map { String($0) }.joined() }
}

extension Bytes {
    /// Many bytes of one value, made at once; one by one takes a debug build long.
    init(block count: Int) {
        self.init(capacity: count) { buffer in
            buffer.initializeMemory(as: UInt8.self, repeating: 1)
            return count
        }
    }
}
