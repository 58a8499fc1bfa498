import Glibc
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// Sockets that others have opened, who may connect, and peers that vanish.
final class HandedOverTests: XCTestCase {
    private let folder = Folder()

    func test_theTwoEndsOfASocketPairAreConnections() throws {
        var ends: [Int32] = [-1, -1]
        XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends), 0)
        let first = try Connection(adopting: ends[0])
        let second = try Connection(adopting: ends[1])
        let lines = TestSubscriber<String, SystemError>.checked(.unlimited)
        second.lines().subscribe(lines)
        ["one", "two"].publisher.write(to: first, terminator: "\n") { _ in }
        eventually { lines.hasFinished }
        XCTAssertEqual(lines.values, ["one", "two"])
        let peer = try first.peerCredentials()
        XCTAssertEqual(peer, PeerCredentials(processID: getpid(), userID: getuid(), groupID: getgid()))
        XCTAssertThrowsError(try Connection(adopting: 999)) { XCTAssertEqual(($0 as? SystemError)?.code, EBADF) }
    }

    func test_aSocketThatListensIsAListener() throws {
        let original = Listener(port: 0)
        let address = try original.bind()
        // A second number of the same socket stands for one that another process has opened.
        let raw = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        XCTAssertThrowsError(try Listener(adopting: dup(raw))) { XCTAssertEqual(($0 as? SystemError)?.code, EINVAL) }
        XCTAssertEqual(Glibc.listen(raw, 5), 0)
        let listener = try Listener(adopting: raw)
        XCTAssertNotNil(listener.address?.port)
        let connections = TestSubscriber<Connection, SystemError>.checked(.first(1))
        listener.subscribe(connections)
        let client = TestSubscriber<Connection, SystemError>.checked(.unlimited)
        let port = try XCTUnwrap(listener.address?.port)
        Connection.connect(to: .tcp(host: "127.0.0.1", port: port)).subscribe(client)
        eventually { connections.values.count == 1 }
        connections.cancel()
        XCTAssertNotNil(address.port)
        XCTAssertEqual(try Listener.activated().count, 0)
    }

    func test_twoListenersShareAPort() throws {
        let first = Listener(port: 0, sharesPort: true)
        let port = try XCTUnwrap(first.bind().port)
        XCTAssertNoThrow(try Listener(port: port, sharesPort: true).bind())
        XCTAssertThrowsError(try Listener(port: port).bind())
    }

    func test_theFileOfASocketHasItsPermissions() throws {
        for permissions in [File.Permissions.ownerOnly, .all] {
            let listener = Listener(path: folder["socket"], permissions: permissions)
            try listener.bind()
            var status = stat()
            stat(folder["socket"], &status)
            XCTAssertEqual(UInt32(status.st_mode) & 0o777, permissions.rawValue)
        }
    }

    func test_keepAliveLimitsWhatIsUnderWayToo() throws {
        for (options, milliseconds) in [
            (SocketOptions(keepAlive: KeepAlive(idle: 4, interval: 2, probes: 3)), 10_000 as Int32),
            (SocketOptions(acknowledgementLimit: .milliseconds(1_500)), 1_500),
            (SocketOptions(keepAlive: KeepAlive(), acknowledgementLimit: .seconds(2)), 2_000), (SocketOptions(), 0),
        ] {
            let listener = Listener(port: 0)
            let address = try listener.bind()
            let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var target = sockaddr_in()
            target.sin_family = sa_family_t(AF_INET)
            target.sin_port = in_port_t(UInt16(try XCTUnwrap(address.port)).bigEndian)
            target.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            let code = withUnsafePointer(to: &target) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            XCTAssertEqual(code, 0)
            let connection = try Connection(adopting: number, options: options)
            var value: Int32 = -1
            var size = socklen_t(4)
            getsockopt(number, Int32(IPPROTO_TCP), 18, &value, &size)
            XCTAssertEqual(value, milliseconds)
            XCTAssertThrowsError(try connection.peerCredentials())
        }
    }
}
