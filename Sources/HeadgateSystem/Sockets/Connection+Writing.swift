import Headgate

extension Publisher where Output == Bytes {
    /// Writes everything that is published to a connection.
    ///
    /// ```
    /// self      c---c---c---|
    /// write     to the peer
    ///           -----------(n|)
    /// ```
    ///
    /// ```swift no-run
    /// File("page.html").bytes().write(to: connection) { print($0) }
    /// // finished(bytes: 1024)
    /// ```
    ///
    /// Nothing is buffered longer than it takes: what arrives is sent as soon as the kernel's buffer has room, and what has
    /// piled up meanwhile by one call. `SIGPIPE` is never raised.
    ///
    /// - **Demand**: upstream is asked for as much as has been written. One value is requested first, then as many as fit the
    ///   buffer by their average size, one at the least; where the other side does not read and the kernel's buffer is full,
    ///   none.
    /// - **Completion**: `receiveEnd` hears once how it ended and how many bytes the kernel has taken, on the connection's queue:
    ///   `.readerClosed` where the other side has closed the connection (`EPIPE`), `.failed` where it has reset it
    ///   (`ECONNRESET`), where somebody else is writing (`EBUSY`), and where this direction has ended before (`ENOTCONN`). When
    ///   upstream finishes, the other side sees the end of the stream, unless `keepsOpen`. When upstream fails, and at
    ///   `cancel()`, the connection is reset, so that nobody takes what has come for the whole; after `cancel()` `receiveEnd`
    ///   hears nothing.
    /// - **Complexity**: one system call a value, or fewer where values are small; these are copied once.
    ///
    /// - Parameters:
    ///   - connection: Where to write.
    ///   - bufferSize: How many bytes may wait, going by the average size of a value: 64 KiB. Less than one traps.
    ///   - keepsOpen: Whether another stream will be written when this one has finished.
    ///   - receiveEnd: Told of the end.
    /// - Returns: A cancellable. Nobody has to hold it: what has begun goes on without.
    @discardableResult public func write(
        to connection: Connection, bufferSize: Int = 1 << 16, keepsOpen: Bool = false,
        receiveEnd: @escaping StreamClosure<Written<Failure>, Void>
    ) -> some Cancellable {
        checkBufferSize(bufferSize)
        let sink = WritingSink<Failure>(
            on: connection.socket.queue, bufferSize: bufferSize,
            open: { [socket = connection.socket] () throws(SystemError) in
                try SocketDestination(socket, keepsOpen: keepsOpen)
            }, onEnd: receiveEnd)
        subscribe(sink)
        return sink
    }

    /// Writes everything that is published to a connection, and waits for the end.
    ///
    /// ```swift no-run
    /// let result = await Just(Bytes("hello\n")).write(to: connection)
    /// ```
    ///
    /// **Demand** and **Complexity** are those of the method with a closure. **Completion**: returns how it ended; cancelling the
    /// task cancels upstream and resets the connection, and `nil` is returned.
    public func write(
        to connection: Connection, bufferSize: Int = 1 << 16, keepsOpen: Bool = false
    ) async -> Written<Failure>? {
        let outcome = WritingOutcome<Failure>()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                outcome.wait(with: continuation)
                let writing = write(
                    to: connection, bufferSize: bufferSize, keepsOpen: keepsOpen, receiveEnd: outcome.tell)
                outcome.cancel(with: AnyCancellable(writing))
            }
        } onCancel: {
            outcome.cancel()
        }
    }
}

extension Publisher where Output == String {
    /// Writes every text that is published, each with a terminator after it, to a connection.
    ///
    /// ```swift no-run
    /// ["HELO me", "QUIT"].publisher.write(to: connection, terminator: "\r\n") { _ in }
    /// ```
    ///
    /// **Demand**, **Completion** and **Complexity** are those of writing bytes.
    @discardableResult public func write(
        to connection: Connection, terminator: String, bufferSize: Int = 1 << 16, keepsOpen: Bool = false,
        receiveEnd: @escaping StreamClosure<Written<Failure>, Void>
    ) -> some Cancellable {
        map { Bytes($0 + terminator) }
            .write(to: connection, bufferSize: bufferSize, keepsOpen: keepsOpen, receiveEnd: receiveEnd)
    }

    /// Writes every text that is published, each with a terminator after it, and waits for the end.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of writing bytes.
    public func write(
        to connection: Connection, terminator: String, bufferSize: Int = 1 << 16, keepsOpen: Bool = false
    ) async -> Written<Failure>? {
        await map { Bytes($0 + terminator) }
            .write(to: connection, bufferSize: bufferSize, keepsOpen: keepsOpen)
    }
}
