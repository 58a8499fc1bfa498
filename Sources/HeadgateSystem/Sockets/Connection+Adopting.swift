import HeadgateLibC

extension Connection {
    /// Takes over a socket that is connected: one that another process has opened and handed over, or one of a
    /// `socketpair`.
    ///
    /// It is closed with the connection.
    ///
    /// - Parameters:
    ///   - descriptor: The number of a connected socket that nobody else in this process uses.
    ///   - options: The options of the connection.
    /// - Throws: `EBADF` if it is not open, `ENOTSOCK` if it is no socket, `ENOTCONN` if it is not connected.
    public convenience init(adopting descriptor: Int32, options: SocketOptions = SocketOptions()) throws(SystemError) {
        let calls = SystemCalls.live
        try self.init(calls.adopt(descriptor), options: options, calls: calls)
    }

    #if os(Linux)
        /// The process that has opened the other end of a Unix socket.
        ///
        /// The system remembers it from the moment of connecting, so it can be trusted.
        ///
        /// - Throws: `EOPNOTSUPP` over TCP, `ENOTCONN` if the connection has ended.
        public func peerCredentials() throws(SystemError) -> PeerCredentials {
            guard let descriptor else { throw error("getsockopt", ENOTCONN) }
            if isTCP { throw error("getsockopt", EOPNOTSUPP) }
            return try calls.credentials(of: descriptor)
        }
    #endif
}

#if os(Linux)
    /// The process at the other end of a Unix socket, and for whom it runs.
    public struct PeerCredentials: Hashable, Sendable {
        /// The process ID.
        public let processID: Int32

        /// The number of the user.
        public let userID: UInt32

        /// The number of the group.
        public let groupID: UInt32

        /// Creates credentials, for tests of code that decides by them.
        public init(processID: Int32, userID: UInt32, groupID: UInt32) {
            self.processID = processID
            self.userID = userID
            self.groupID = groupID
        }
    }
#endif
