extension Publisher where Output == Bytes {
    /// Writes everything that is published to a connection.
    ///
    /// ```
    /// self      c---c---c---|
    /// write     ------------3     bytes, to the peer
    /// ```
    ///
    /// ```swift no-run
    /// File("page.html").bytes().write(to: connection) { print($0) }
    /// // finished(bytes: 1024)
    /// ```
    ///
    /// Buffers only while writing is blocked: bytes are sent as soon as the kernel's buffer has room, and those that
    /// accumulated meanwhile with one call. `SIGPIPE` is never raised.
    ///
    /// - **Demand**: each written value is replaced by new demand. Requests one value first, then as many as fit the
    ///   buffer by their average size, at least one; none while the other side does not read and the kernel's buffer is
    ///   full.
    /// - **Completion**: `receiveEnd` is called once, on the connection's queue, with the outcome and the number of
    ///   bytes the kernel has taken: `.readerClosed` if the other side has closed the connection (`EPIPE`), `.failed`
    ///   if it has reset it (`ECONNRESET`), if another writer is active (`EBUSY`), and if this direction has ended
    ///   before (`ENOTCONN`). When upstream finishes, the other side sees the end of the stream, unless `keepsOpen`.
    ///   When upstream fails, and at `cancel()`, the connection is reset at once, even if the other side reads nothing,
    ///   so that it does not mistake a part for the whole; after `cancel()` `receiveEnd` is not called. A reset by the
    ///   other side is noticed while there is nothing to write, too.
    /// - **Threads**: upstream may deliver on any thread, and never waits for the other side: bytes are sent on the
    ///   connection's queue. More is requested from there, and `receiveEnd` called. While the queue is idle, a value
    ///   that comes a millisecond or more after the previous one is sent by the thread that delivers it. The
    ///   cancellable may be used on any thread.
    /// - **Complexity**: one system call per value, or fewer for small values, which are copied once.
    ///
    /// - Parameters:
    ///   - connection: Where to write.
    ///   - bufferSize: How many bytes may wait, estimated by the average size of a value: 64 KiB. Less than one traps.
    ///   - keepsOpen: Whether another stream will be written after this one has finished.
    ///   - stallLimit: How long the other side may read nothing before writing fails with the code `ETIMEDOUT` and the
    ///     connection is reset.
    ///   - receiveEnd: Called with the outcome.
    /// - Returns: A cancellable. It need not be kept: writing continues without it.
    @discardableResult @inlinable public func write(
        to connection: Connection, bufferSize: Int = 1 << 16, keepsOpen: Bool = false,
        stallLimit: StallLimit? = nil, receiveEnd: @escaping @Sendable (Written<Failure>) -> Void
    ) -> some Cancellable & Sendable {
        let sink = WritingSink<Failure>(
            to: connection, bufferSize: bufferSize, keepsOpen: keepsOpen, stallLimit: stallLimit, onEnd: receiveEnd)
        subscribe(writing: sink)
        return sink
    }

    /// Writes everything that is published to a connection, and waits for the end.
    ///
    /// ```swift no-run
    /// let result = await Just(Bytes("hello\n")).write(to: connection)
    /// ```
    ///
    /// **Demand**, **Threads** and **Complexity** are those of the method with a closure. **Completion**: returns the
    /// outcome; cancelling the task cancels upstream, resets the connection and returns `nil`.
    @inlinable public func write(
        to connection: Connection, bufferSize: Int = 1 << 16, keepsOpen: Bool = false,
        stallLimit: StallLimit? = nil
    ) async -> Written<Failure>? {
        await Written.outcome { receiveEnd in
            write(
                to: connection, bufferSize: bufferSize, keepsOpen: keepsOpen, stallLimit: stallLimit,
                receiveEnd: receiveEnd)
        }
    }
}

extension Publisher where Output == String {
    /// Writes each text that is published, followed by a terminator, to a connection.
    ///
    /// ```swift no-run
    /// ["HELO me", "QUIT"].publisher.write(to: connection, terminator: "\r\n") { _ in }
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of writing bytes.
    @discardableResult @inlinable public func write(
        to connection: Connection, terminator: String, bufferSize: Int = 1 << 16, keepsOpen: Bool = false,
        stallLimit: StallLimit? = nil, receiveEnd: @escaping @Sendable (Written<Failure>) -> Void
    ) -> some Cancellable & Sendable {
        map { Bytes($0 + terminator) }
            .write(
                to: connection, bufferSize: bufferSize, keepsOpen: keepsOpen, stallLimit: stallLimit,
                receiveEnd: receiveEnd)
    }

    /// Writes each text that is published, followed by a terminator, and waits for the end.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of writing bytes.
    @inlinable public func write(
        to connection: Connection, terminator: String, bufferSize: Int = 1 << 16, keepsOpen: Bool = false,
        stallLimit: StallLimit? = nil
    ) async -> Written<Failure>? {
        await map { Bytes($0 + terminator) }
            .write(to: connection, bufferSize: bufferSize, keepsOpen: keepsOpen, stallLimit: stallLimit)
    }
}
