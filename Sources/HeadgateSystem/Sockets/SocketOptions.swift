import CHeadgateSystem

/// The options of a connection.
///
/// ```swift no-run
/// let options = SocketOptions(keepAlive: KeepAlive(idle: 30, interval: 5, probes: 3))
/// let listener = Listener(port: 8080, options: options)
/// ```
public struct SocketOptions: Hashable, Sendable {
    /// Whether TCP sends small segments immediately instead of waiting for more (`TCP_NODELAY`).
    ///
    /// Writers combine small pending values themselves.
    public var noDelay: Bool

    /// When TCP detects that the other side of a connection is gone; `nil` disables that.
    public var keepAlive: KeepAlive?

    /// How long sent data may stay unacknowledged before the connection fails (`ETIMEDOUT`; `TCP_USER_TIMEOUT`).
    ///
    /// Keep-alive probes only a connection without data in flight. If the other side vanishes while data is in flight,
    /// the system retransmits it for some 15 minutes. `nil` leaves that to the system or, with keep-alive, limits it
    /// to the time after which an idle connection fails. Less than a millisecond traps. Linux only.
    public var acknowledgementLimit: Duration?

    /// The size of the system's send buffer in bytes.
    ///
    /// `nil` leaves that to the system. Less than one traps.
    public var sendBufferSize: Int?

    /// The size of the system's receive buffer in bytes.
    ///
    /// `nil` leaves that to the system. Less than one traps.
    public var receiveBufferSize: Int?

    /// Creates options.
    public init(
        noDelay: Bool = true, keepAlive: KeepAlive? = nil, acknowledgementLimit: Duration? = nil,
        sendBufferSize: Int? = nil, receiveBufferSize: Int? = nil
    ) {
        if let limit = acknowledgementLimit, limit < .milliseconds(1) {
            programmerError(
                rule: "The limit of an acknowledgement is at least a millisecond.", found: "\(limit)",
                remedy: "Pass nil to leave it to the system.")
        }
        for size in [sendBufferSize, receiveBufferSize] {
            if let size, size < 1 {
                programmerError(
                    rule: "A socket buffer has room for at least one byte.", found: "\(size)",
                    remedy: "Pass nil to leave the size to the system.")
            }
        }
        self.noDelay = noDelay
        self.keepAlive = keepAlive
        self.acknowledgementLimit = acknowledgementLimit
        self.sendBufferSize = sendBufferSize
        self.receiveBufferSize = receiveBufferSize
    }
}

/// How TCP probes the other side of an idle connection.
///
/// Data in flight is not probed for: unless ``SocketOptions/acknowledgementLimit`` says otherwise, it may stay
/// unacknowledged for as long as an idle connection without answers lasts: `idle` and `probes` times `interval`.
public struct KeepAlive: Hashable, Sendable {
    /// The seconds of silence before the first probe; the system's limit is 32,767.
    public var idle: Int

    /// The seconds between probes; the system's limit is 32,767.
    public var interval: Int

    /// The number of unanswered probes after which the connection fails (`ETIMEDOUT`); the system's limit is 127.
    public var probes: Int

    /// Creates a configuration; a number below one traps.
    public init(idle: Int = 60, interval: Int = 10, probes: Int = 6) {
        require(
            min(idle, interval, probes) >= 1, rule: "The numbers of keep-alive are at least one.",
            found: "\(idle), \(interval), \(probes)", remedy: "Pass nil to disable keep-alive.")
        self.idle = idle
        self.interval = interval
        self.probes = probes
    }
}

extension SystemCalls {
    /// Sets the options of a connection; those of TCP are ignored on a Unix socket.
    func apply(_ options: SocketOptions, to socket: Descriptor, isTCP: Bool) throws(SystemError) {
        if let size = options.sendBufferSize { try set(SO_SNDBUF, of: SOL_SOCKET, to: size, on: socket) }
        if let size = options.receiveBufferSize { try set(SO_RCVBUF, of: SOL_SOCKET, to: size, on: socket) }
        if !isTCP { return }
        try set(TCP_NODELAY, of: headgate_tcp, to: options.noDelay ? 1 : 0, on: socket)
        #if os(Linux)
            let patience = options.keepAlive.map { rule in
                Duration.seconds(min(rule.idle, 32_767) + min(rule.interval, 32_767) * min(rule.probes, 127))
            }
            if let limit = options.acknowledgementLimit ?? patience {
                let milliseconds = min(limit, .milliseconds(Int32.max)) / .milliseconds(1)
                try set(headgate_user_timeout, of: headgate_tcp, to: Int(milliseconds), on: socket)
            }
        #endif
        guard let rule = options.keepAlive else { return }
        try set(SO_KEEPALIVE, of: SOL_SOCKET, to: 1, on: socket)
        // The kernel rejects more: nine hours, and 127 probes.
        try set(headgate_keep_alive_idle, of: headgate_tcp, to: min(rule.idle, 32_767), on: socket)
        try set(TCP_KEEPINTVL, of: headgate_tcp, to: min(rule.interval, 32_767), on: socket)
        try set(TCP_KEEPCNT, of: headgate_tcp, to: min(rule.probes, 127), on: socket)
    }
}
