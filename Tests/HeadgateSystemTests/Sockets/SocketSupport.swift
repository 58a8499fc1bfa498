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

    func tell(_ written: Written<Failure>) { result.withLock { $0 = written } }

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

/// A client that knows nothing of Headgate, for bad misbehavior.
final class PlainClient {
    private(set) var number: Int32

    init(_ address: SocketAddress) {
        switch address {
        case .tcp(_, let port):
            number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_port = in_port_t(port).bigEndian
            place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            _ = withUnsafePointer(to: &place) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        case .unix(let path):
            number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var place = sockaddr_un()
            place.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: path.utf8) }
            _ = withUnsafePointer(to: &place) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
        limitReading()
    }

    deinit { close() }

    /// Limits each reading to as long as `eventually` waits, so that a server that never ends fails a test and blocks none.
    private func limitReading() {
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    func send(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Waits until there is something to read, and leaves it there.
    ///
    /// - Returns: Whether there is something.
    func awaitsByte() -> Bool {
        var byte: UInt8 = 0
        return recv(number, &byte, 1, Int32(MSG_PEEK)) == 1
    }

    /// Reads until the other side ends.
    func readAll() -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(number, &buffer, buffer.count, 0), count > 0 { all += buffer[..<count] }
        return String(decoding: all, as: UTF8.self)
    }

    func closeWriting() { shutdown(number, Int32(SHUT_WR)) }

    func close() {
        if number >= 0 { Glibc.close(number) }
        number = -1
    }

    /// Closes with a reset.
    func reset() {
        var lingering = linger(l_onoff: 1, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
        close()
    }
}
