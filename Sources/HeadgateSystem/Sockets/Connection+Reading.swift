import Headgate

extension Connection {
    /// Publishes what arrives, chunk by chunk.
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
    /// - **Demand**: one `recv` for each chunk requested, and nothing is read without demand: what nobody requests stays in
    ///   the kernel's buffer, and when that is full, TCP slows the other side.
    /// - **Completion**: finishes when the other side has closed its writing direction. Fails with a ``SystemError`` where the
    ///   connection is reset (`ECONNRESET`), where keep-alive finds nobody (`ETIMEDOUT`), where somebody else is reading
    ///   (`EBUSY`), and where the stream has ended before (`ENOTCONN`). After `cancel()` another subscriber may go on; what
    ///   had been read and not been delivered, by ``lines(maximumLength:terminators:longLines:invalid:)`` for example, is lost.
    /// - **Complexity**: one system call and one allocation a chunk; a short one is copied, so that it keeps no more memory
    ///   than it needs.
    ///
    /// - Parameter chunkSize: How many bytes a chunk has at most; less than one traps.
    public func bytes(chunkSize: Int = 1 << 16) -> Publishers.ConnectionBytes {
        checkChunkSize(chunkSize)
        return Publishers.ConnectionBytes(connection: self, chunkSize: chunkSize)
    }

    /// Publishes the lines that arrive as texts, without their terminators.
    ///
    /// The same as `bytes().lines()` with the same arguments: **Demand**, **Completion** and **Complexity** are those of
    /// ``bytes(chunkSize:)`` and of `lines`.
    public func lines(
        maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed, longLines: LongLines = .fail,
        invalid: InvalidText = .repair
    ) -> Publishers.TextLines<Publishers.ConnectionBytes> {
        bytes().lines(maximumLength: maximumLength, terminators: terminators, longLines: longLines, invalid: invalid)
    }

    /// Publishes the lines that arrive as bytes, without their terminators and without looking into them.
    ///
    /// The same as `bytes().byteLines()` with the same arguments: **Demand**, **Completion** and **Complexity** are those of
    /// ``bytes(chunkSize:)`` and of `byteLines`.
    public func byteLines(
        maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed, longLines: LongLines = .fail
    ) -> Publishers.BytePieces<Publishers.ConnectionBytes> {
        bytes().byteLines(maximumLength: maximumLength, terminators: terminators, longLines: longLines)
    }

    /// Publishes the frames that arrive, where the length of each stands before it.
    ///
    /// The same as `bytes().frames(lengthBytes:)` with the same arguments: **Demand**, **Completion** and **Complexity** are
    /// those of ``bytes(chunkSize:)`` and of `frames`.
    public func frames(
        lengthBytes: Int, byteOrder: ByteOrder = .bigEndian, maximumLength: Int = 1 << 20
    ) -> Publishers.BytePieces<Publishers.ConnectionBytes> {
        bytes().frames(lengthBytes: lengthBytes, byteOrder: byteOrder, maximumLength: maximumLength)
    }

    /// Publishes the frames that arrive, where a sequence of bytes stands after each.
    ///
    /// The same as `bytes().frames(delimitedBy:)` with the same arguments: **Demand**, **Completion** and **Complexity** are
    /// those of ``bytes(chunkSize:)`` and of `frames`.
    public func frames(
        delimitedBy delimiter: Bytes, maximumLength: Int = 1 << 20
    ) -> Publishers.BytePieces<Publishers.ConnectionBytes> {
        bytes().frames(delimitedBy: delimiter, maximumLength: maximumLength)
    }
}

extension Publishers {
    /// A publisher of what arrives on a connection.
    public struct ConnectionBytes: Publisher, Sendable {
        /// Chunks.
        public typealias Output = Bytes

        /// What goes wrong with connections.
        public typealias Failure = SystemError

        /// The connection.
        public let connection: Connection

        /// How many bytes a chunk has at most.
        public let chunkSize: Int

        init(connection: Connection, chunkSize: Int) {
            self.connection = connection
            self.chunkSize = chunkSize
        }

        /// Connects a subscriber, which takes the reading direction when it requests.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = PollingConduit<SocketSource>(
                name: "ConnectionBytes", on: connection.socket.queue, to: AnySubscriber(subscriber)
            ) { [socket = connection.socket, chunkSize] () throws(SystemError) in
                try SocketSource(socket, chunkSize: chunkSize)
            }
            subscriber.receive(subscription: conduit)
        }
    }
}
