import HeadgateLibC

/// The address of a socket: a host and a port, or the path of a Unix socket.
///
/// ```swift
/// print(SocketAddress.tcp(host: "::1", port: 80), SocketAddress.unix(path: "/run/service"))
/// // [::1]:80 /run/service
/// ```
public enum SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The name or number of a host, and a port. The addresses of a connection have numbers.
    case tcp(host: String, port: Int)
    /// A path in the file system; empty if the socket has none, like that of a client.
    case unix(path: String)

    /// The host and the port, or the path.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): path.isEmpty ? "unnamed" : path
        }
    }

    /// Throws `EINVAL` for a port outside a range: it may come from a configuration.
    func checkPort(_ range: ClosedRange<Int>, for call: String) throws(SystemError) {
        if let port, !range.contains(port) { throw SystemError(call: call, code: EINVAL, subject: description) }
    }

    /// The port, if there is one.
    public var port: Int? {
        if case .tcp(_, let port) = self { port } else { nil }
    }
}
