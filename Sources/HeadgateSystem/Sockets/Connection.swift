/// A connection over TCP or a Unix socket, with a stream of bytes in each direction.
///
/// A ``Listener`` publishes those that clients have opened; ``connect(to:options:)`` opens one.
///
/// ```swift no-run
/// let echo = Listener(port: 7).sink(
///     receiveCompletion: { print($0) },
///     receiveValue: { connection in connection.bytes().write(to: connection) { print($0) } })
/// ```
///
/// ``bytes(chunkSize:)``, ``lines(maximumLength:terminators:longLines:unterminated:invalid:)``,
/// ``byteLines(maximumLength:terminators:longLines:unterminated:)`` and
/// ``frames(lengthBytes:byteOrder:maximumLength:)`` publish what is received, to one subscriber at a time. `write(to:)` of any publisher of bytes sends, one writer at a time. A
/// second one at the same time fails with the code `EBUSY`, and one after the end of its direction with `ENOTCONN`.
///
/// The descriptor is closed when both directions have ended, or when the connection and the streams that use it are
/// released. Both directions are served on one queue, so a closure that waits for the other direction of the same
/// connection deadlocks; to wait there, move to another thread with `receive(on:)`.
public final class Connection: Sendable, CustomStringConvertible {
    /// The address of this side.
    public let localAddress: SocketAddress

    /// The address of the other side.
    public let remoteAddress: SocketAddress

    let socket: Socket

    package init(
        _ descriptor: Descriptor, local: SocketAddress, remote: SocketAddress, calls: SystemCalls
    ) {
        localAddress = local
        remoteAddress = remote
        socket = Socket(descriptor, isTCP: local.port != nil, calls: calls)
    }

    /// Creates a connection from a connected socket, and applies options to it.
    convenience init(
        _ descriptor: Descriptor, remote: SocketAddress? = nil, options: SocketOptions, calls: SystemCalls
    ) throws(SystemError) {
        let local = try calls.localAddress(of: descriptor)
        let remote = if let remote { remote } else { try calls.remoteAddress(of: descriptor) }
        try calls.apply(options, to: descriptor, isTCP: local.port != nil)
        self.init(descriptor, local: local, remote: remote, calls: calls)
    }

    /// The address of the other side, or of this one if that has none.
    public var description: String {
        remoteAddress == .unix(path: "") ? "\(localAddress)" : "\(remoteAddress)"
    }

    /// Closes the writing direction, for a side that does not write; reading continues.
    ///
    /// A writer that finishes does so by itself. Does nothing if the direction is closed already.
    ///
    /// - Throws: `EBUSY` while a writer is active; errors of `shutdown`.
    public func closeWriting() throws(SystemError) { try socket.closeWriting() }

    /// Resets the connection in both directions.
    ///
    /// Readers and writers of this side fail with the code `ECONNRESET`. So do those of the other side over TCP; over a
    /// Unix socket, they see the end of the stream.
    public func reset() { socket.reset() }

    /// Changes the options of the connection.
    ///
    /// - Throws: Errors of `setsockopt`; `ENOTCONN` if the connection has ended.
    public func apply(_ options: SocketOptions) throws(SystemError) {
        try socket.apply(options)
    }
}
