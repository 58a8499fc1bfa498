import Headgate

/// A connection over TCP or a Unix socket, with a stream of bytes in each direction.
///
/// A ``Listener`` publishes those that others have opened; ``connect(to:options:)`` opens one.
///
/// ```swift no-run
/// let echo = Listener(port: 7).sink(
///     receiveCompletion: { print($0) },
///     receiveValue: { connection in connection.bytes().write(to: connection) { print($0) } })
/// ```
///
/// What is received is published by ``bytes(chunkSize:)``, ``lines(maximumLength:terminators:longLines:invalid:)``,
/// ``byteLines(maximumLength:terminators:longLines:)`` and ``frames(lengthBytes:byteOrder:maximumLength:)``, to one subscriber at
/// a time. What is sent is written with `write(to:)` of any publisher of bytes, by one writer at a time. A second one at the
/// same time fails with the code `EBUSY`, and one that comes after the end of its direction with `ENOTCONN`.
///
/// The descriptor is closed when both directions have ended, or when the connection and the streams that use it are released.
/// Both directions are served on one queue, so a closure that waits for the other direction of the same connection waits for
/// ever; whoever waits uses `receive(on:)`.
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
        socket = Socket(descriptor, calls: calls)
    }

    /// The address of the other side, or of this one where that has none.
    public var description: String {
        remoteAddress == .unix(path: "") ? "\(localAddress)" : "\(remoteAddress)"
    }

    /// Tells the other side that nothing more will come, for whoever does not write; reading goes on.
    ///
    /// A writer that comes to its end does so by itself. Does nothing where that has been done.
    ///
    /// - Throws: `EBUSY` while somebody writes; what the call `shutdown` fails with.
    public func closeWriting() throws(SystemError) { try socket.closeWriting() }

    /// Cuts the connection off in both directions.
    ///
    /// Readers and writers of this side fail with the code `ECONNRESET`. So do those of the other side over TCP; over a Unix
    /// socket, they see the end of the stream.
    public func reset() { socket.reset() }

    /// Changes how the system treats the connection.
    ///
    /// - Throws: What the call `setsockopt` fails with; `ENOTCONN` where the connection has ended.
    public func apply(_ options: SocketOptions) throws(SystemError) {
        try socket.apply(options, isTCP: localAddress.port != nil)
    }
}
