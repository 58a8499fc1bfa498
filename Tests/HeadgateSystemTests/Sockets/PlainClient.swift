import Glibc
import HeadgateSystem

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
