import CHeadgateSystem
import HeadgateLibC

extension SystemCalls {
    /// Creates a non-blocking socket of a protocol family, for a stream unless of another type, with `SOCK_CLOEXEC`.
    func socket(
        _ family: Int32, type: Int32 = headgate_stream, for subject: String
    ) throws(SystemError) -> Descriptor {
        try descriptor("socket", of: subject) {
            #if canImport(Darwin)
                Self.prepared(HeadgateLibC.socket(family, type, 0))
            #else
                HeadgateLibC.socket(family, type | headgate_socket_flags, 0)
            #endif
        }
    }

    func bind(_ socket: Descriptor, to address: KernelAddress) throws(SystemError) {
        try call("bind", on: socket) { number in address.withPointer { HeadgateLibC.bind(number, $0, $1) } }
    }

    func listen(_ socket: Descriptor, backlog: Int) throws(SystemError) {
        try call("listen", on: socket) { HeadgateLibC.listen($0, Int32(clamping: backlog)) }
    }

    /// Accepts the next client, non-blocking and with `SOCK_CLOEXEC`.
    ///
    /// - Returns: The descriptor of its socket and its address, or `nil` if no client waits.
    func accept(_ listener: Descriptor) throws(SystemError) -> (number: Int32, address: SocketAddress)? {
        var address = KernelAddress()
        let number = try performOrNil("accept", on: listener.path) { _ in
            address.fill { pointer, length in
                #if canImport(Darwin)
                    Int(Self.prepared(HeadgateLibC.accept(listener.number, pointer, length)))
                #else
                    let number = accept4(listener.number, pointer, length, headgate_socket_flags)
                    return Int(headgate_above_standard_streams(number))
                #endif
            }
        }
        return number.map { (Int32($0), address.address) }
    }

    /// Begins to connect.
    ///
    /// - Returns: Whether it is connected; if not, the socket becomes writable when it is.
    func connect(_ socket: Descriptor, to address: KernelAddress) throws(SystemError) -> Bool {
        do {
            try call("connect", on: socket) { number in address.withPointer { HeadgateLibC.connect(number, $0, $1) } }
        } catch  where error.code == EINPROGRESS || error.code == EALREADY {
            return false
        } catch  where error.code == EISCONN {
            return true
        }
        return true
    }

    /// Throws if connecting failed; called when the socket is writable.
    func checkConnected(_ socket: Descriptor) throws(SystemError) {
        let code = try option(SO_ERROR, of: SOL_SOCKET, on: socket)
        if code != 0 { throw SystemError(call: "connect", code: code, subject: socket.path) }
    }

    /// Checks whether anything has arrived, without reading it.
    ///
    /// - Returns: Zero at the end, `nil` if nothing has arrived.
    func peek(_ socket: Descriptor) throws(SystemError) -> Int? {
        try performOrNil("recv", on: socket.path) { _ in
            var byte: UInt8 = 0
            return recv(socket.number, &byte, 1, headgate_peeking)
        }
    }

    /// Reads what has arrived, up to a number of bytes; none at the end, and `nil` if the call would block.
    func receive(_ socket: Descriptor, upTo count: Int) throws(SystemError) -> Bytes? {
        try bytes(upTo: count) { buffer throws(SystemError) in
            try performOrNil("recv", on: socket.path, bytes: count) { recv(socket.number, buffer.baseAddress, $0, 0) }
        }
    }

    /// Sends as much as there is room for, without raising `SIGPIPE`.
    ///
    /// - Returns: The number of bytes taken, or `nil` if the call would block.
    func send(_ socket: Descriptor, _ buffer: UnsafeRawBufferPointer) throws(SystemError) -> Int? {
        try performOrNil("send", on: socket.path, bytes: buffer.count) { count in
            HeadgateLibC.send(socket.number, buffer.baseAddress, count, headgate_sending)
        }
    }

    /// Closes the writing direction.
    func shutDownWriting(_ socket: Descriptor) throws(SystemError) {
        try call("shutdown", on: socket) { shutdown($0, Int32(SHUT_WR)) }
    }

    /// Resets a connection in both directions, so that the other side sees a failure if the protocol has one.
    func reset(_ socket: Descriptor) {
        #if canImport(Darwin)
            var lingering = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                socket.number, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
        #else
            // Resets a TCP connection immediately, and not only when its last descriptor is closed.
            var nowhere = sockaddr()
            nowhere.sa_family = sa_family_t(AF_UNSPEC)
            _ = HeadgateLibC.connect(socket.number, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
        #endif
        _ = shutdown(socket.number, Int32(SHUT_RDWR))
    }

    /// Sets a numeric option.
    func set(_ option: Int32, of level: Int32, to value: Int, on socket: Descriptor) throws(SystemError) {
        var value = Int32(clamping: value)
        try call("setsockopt", on: socket) {
            setsockopt($0, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    /// Reads a numeric option.
    func option(_ option: Int32, of level: Int32, on socket: Descriptor) throws(SystemError) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        try call("getsockopt", on: socket) { getsockopt($0, level, option, &value, &size) }
        return value
    }

    #if os(Linux)
        /// The process at the other end of a Unix socket.
        func credentials(of socket: Descriptor) throws(SystemError) -> PeerCredentials {
            var numbers: (process: Int32, user: UInt32, group: UInt32) = (0, 0, 0)
            var size = socklen_t(MemoryLayout.size(ofValue: numbers))
            try call("getsockopt", on: socket) { getsockopt($0, SOL_SOCKET, SO_PEERCRED, &numbers, &size) }
            return PeerCredentials(processID: numbers.process, userID: numbers.user, groupID: numbers.group)
        }
    #endif

    /// The address of this side.
    func localAddress(of socket: Descriptor) throws(SystemError) -> SocketAddress {
        var address = KernelAddress()
        try call("getsockname", on: socket) { number in address.fill { getsockname(number, $0, $1) } }
        return address.address
    }

    /// The address of the other side.
    func remoteAddress(of socket: Descriptor) throws(SystemError) -> SocketAddress {
        var address = KernelAddress()
        try call("getpeername", on: socket) { number in address.fill { getpeername(number, $0, $1) } }
        return address.address
    }

    #if canImport(Darwin)
        /// Sets what other systems set with the call that creates a socket.
        private static func prepared(_ number: Int32) -> Int32 {
            if number < 0 { return -1 }
            var yes: Int32 = 1
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
            _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
            setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
            return number
        }
    #endif
}
