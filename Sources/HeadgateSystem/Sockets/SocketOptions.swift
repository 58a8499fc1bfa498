import Headgate

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How the system treats a connection.
///
/// ```swift no-run
/// let options = SocketOptions(keepAlive: KeepAlive(idle: 30, interval: 5, probes: 3))
/// let listener = Listener(port: 8080, options: options)
/// ```
public struct SocketOptions: Hashable, Sendable {
    /// Whether TCP sends small pieces at once instead of waiting for more (`TCP_NODELAY`).
    ///
    /// Writers put small values that wait together by themselves.
    public var noDelay: Bool

    /// When TCP finds out that the other side is gone though nothing is sent; `nil` leaves it in the dark.
    public var keepAlive: KeepAlive?

    /// How many bytes the system keeps for sending.
    ///
    /// `nil` leaves that to the system. Less than one traps.
    public var sendBufferSize: Int?

    /// How many bytes the system keeps of what has arrived.
    ///
    /// `nil` leaves that to the system. Less than one traps.
    public var receiveBufferSize: Int?

    /// Makes options.
    public init(
        noDelay: Bool = true, keepAlive: KeepAlive? = nil, sendBufferSize: Int? = nil, receiveBufferSize: Int? = nil
    ) {
        for size in [sendBufferSize, receiveBufferSize] {
            if let size, size < 1 {
                programmerError(
                    rule: "A buffer of a socket has room for one byte at least.", found: "\(size)",
                    remedy: "Pass nil to leave the size to the system.")
            }
        }
        self.noDelay = noDelay
        self.keepAlive = keepAlive
        self.sendBufferSize = sendBufferSize
        self.receiveBufferSize = receiveBufferSize
    }
}

/// How TCP looks after the other side of a silent connection.
public struct KeepAlive: Hashable, Sendable {
    /// After how many seconds of silence it sends the first probe.
    public var idle: Int

    /// How many seconds it waits between probes.
    public var interval: Int

    /// After how many unanswered probes the connection fails (`ETIMEDOUT`).
    public var probes: Int

    /// Makes a rule; a number below one traps.
    public init(idle: Int = 60, interval: Int = 10, probes: Int = 6) {
        if min(idle, interval, probes) < 1 {
            programmerError(
                rule: "Times and numbers of keep-alive are one at least.", found: "\(idle), \(interval), \(probes)",
                remedy: "Pass nil where nobody is to be looked after.")
        }
        self.idle = idle
        self.interval = interval
        self.probes = probes
    }
}

extension SystemCalls {
    /// Sets the options of a connection; those of TCP are left out on a Unix socket.
    func apply(_ options: SocketOptions, to socket: Descriptor, isTCP: Bool) throws(SystemError) {
        if let size = options.sendBufferSize { try set(SO_SNDBUF, of: SOL_SOCKET, to: size, on: socket) }
        if let size = options.receiveBufferSize { try set(SO_RCVBUF, of: SOL_SOCKET, to: size, on: socket) }
        if !isTCP { return }
        try set(TCP_NODELAY, of: SocketConstants.tcp, to: options.noDelay ? 1 : 0, on: socket)
        guard let rule = options.keepAlive else { return }
        try set(SO_KEEPALIVE, of: SOL_SOCKET, to: 1, on: socket)
        try set(SocketConstants.idle, of: SocketConstants.tcp, to: rule.idle, on: socket)
        try set(TCP_KEEPINTVL, of: SocketConstants.tcp, to: rule.interval, on: socket)
        try set(TCP_KEEPCNT, of: SocketConstants.tcp, to: rule.probes, on: socket)
    }
}
