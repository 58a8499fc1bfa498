import HeadgateEngine

extension Connection {
    /// Publishes the received bytes in chunks.
    ///
    /// ```
    /// bytes     ---c---c---c|
    /// ```
    ///
    /// ```swift no-run
    /// let cancellable = connection.bytes()
    ///     .map(\.count)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 512
    /// // finished
    /// ```
    ///
    /// - **Demand**: one `recv` per chunk requested; nothing is read without demand. What is not requested stays in the
    ///   kernel's buffer, and when that is full, TCP slows the other side.
    /// - **Completion**: finishes when the other side has closed its writing direction and everything is read, without
    ///   further demand. Fails with a ``SystemError`` if the connection is reset (`ECONNRESET`), also without demand,
    ///   if keep-alive gets no answer (`ETIMEDOUT`), if another subscriber is reading (`EBUSY`), and if this direction
    ///   has ended before (`ENOTCONN`). After `cancel()` another subscriber may continue; bytes that had been read but
    ///   not delivered, by ``lines(maximumLength:terminators:longLines:unterminated:invalid:)`` for example, are lost:
    ///   use `reader()` for a protocol whose format changes.
    /// - **Threads**: chunks and the completion are delivered on the connection's queue.
    /// - **Complexity**: one system call and one allocation per chunk; a short one is copied, so that it keeps no more
    ///   memory than it needs.
    ///
    /// - Parameter chunkSize: The maximum number of bytes per chunk; less than one traps.
    public func bytes(chunkSize: Int = 1 << 16) -> Publishers.ConnectionBytes {
        checkSize(chunkSize, ofA: "chunk")
        return Publishers.ConnectionBytes(connection: self, chunkSize: chunkSize)
    }

    /// Publishes the received lines as texts, without their terminators.
    ///
    /// Equivalent to `bytes().lines()` with the same arguments: **Demand**, **Completion**, **Threads** and
    /// **Complexity** are those of ``bytes(chunkSize:)`` and of `lines`. A client that dies in the middle of a line ends
    /// the stream with half of one: where lines are commands, pass `unterminated: .fail` or `.drop`.
    public func lines(
        maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed, longLines: LongLines = .fail,
        unterminated: UnterminatedLine = .deliver, invalid: InvalidText = .repair
    ) -> Publishers.TextLines<Publishers.ConnectionBytes> {
        bytes().lines(
            maximumLength: maximumLength, terminators: terminators, longLines: longLines, unterminated: unterminated,
            invalid: invalid)
    }

    /// Publishes the received lines as bytes, without their terminators and without decoding them.
    ///
    /// Equivalent to `bytes().byteLines()` with the same arguments: **Demand**, **Completion**, **Threads**
    /// and **Complexity** are those of ``bytes(chunkSize:)`` and of `byteLines`.
    public func byteLines(
        maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed, longLines: LongLines = .fail,
        unterminated: UnterminatedLine = .deliver
    ) -> Publishers.BytePieces<Publishers.ConnectionBytes> {
        bytes().byteLines(
            maximumLength: maximumLength, terminators: terminators, longLines: longLines, unterminated: unterminated)
    }

    /// Publishes the received frames, each preceded by its length.
    ///
    /// Equivalent to `bytes().frames(lengthBytes:)` with the same arguments: **Demand**, **Completion**,
    /// **Threads** and **Complexity** are those of ``bytes(chunkSize:)`` and of `frames`.
    public func frames(
        lengthBytes: Int, byteOrder: ByteOrder = .bigEndian, maximumLength: Int = 1 << 20
    ) -> Publishers.BytePieces<Publishers.ConnectionBytes> {
        bytes().frames(lengthBytes: lengthBytes, byteOrder: byteOrder, maximumLength: maximumLength)
    }

    /// Publishes the received frames, each followed by a delimiter.
    ///
    /// Equivalent to `bytes().frames(delimitedBy:)` with the same arguments: **Demand**, **Completion**,
    /// **Threads** and **Complexity** are those of ``bytes(chunkSize:)`` and of `frames`.
    public func frames(
        delimitedBy delimiter: Bytes, maximumLength: Int = 1 << 20
    ) -> Publishers.BytePieces<Publishers.ConnectionBytes> {
        bytes().frames(delimitedBy: delimiter, maximumLength: maximumLength)
    }
}

extension Publishers {
    /// A publisher of the bytes received on a connection.
    public struct ConnectionBytes: Publisher, Sendable {
        /// The type of the published values.
        public typealias Output = Bytes

        /// The type of error that the stream may fail with.
        public typealias Failure = SystemError

        /// The connection that is read.
        public let connection: Connection

        /// The maximum number of bytes per chunk.
        public let chunkSize: Int

        /// Connects a subscriber; its first demand takes the reading direction.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            serve(AnySubscriber(subscriber))
        }

        @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
            let conduit = PollingConduit<SocketSource>(
                name: "ConnectionBytes", on: connection.queue, to: subscriber
            ) { [connection, chunkSize] () throws(SystemError) in
                try SocketSource(connection, chunkSize: chunkSize)
            }
            conduit.send(to: subscriber)
        }
    }
}
