import HeadgateLibC

/// Takes a stream of bytes apart step by step: a line, then some bytes, then frames, then the rest.
///
/// An operator such as `lines` keeps the rest of its chunk, which is lost when it is cancelled. A reader gives each
/// step exactly its bytes, and the next step begins with the byte after them.
///
/// ```swift
/// let reader = Just(Bytes("LENGTH 5\nhelloone\ntwo")).setFailureType(to: SystemError.self).reader()
/// print(try await reader.line() ?? "nothing")
/// print(String(try await reader.bytes(count: 5)))
/// let lines = reader.lines().sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
/// // LENGTH 5
/// // hello
/// // one
/// // two
/// // finished
/// ```
///
/// Each step exists for a task, as a method that waits, and as a publisher that takes a piece per value requested and
/// none more: cancelling it, as `first()` or `prefix` do, leaves everything after the last piece to the next step.
///
/// One step at a time: another one meanwhile fails with the code `EBUSY`. After a failure every step fails with it.
/// Releasing the reader and its publishers cancels upstream; what had been read and not taken is lost.
///
/// - **Demand**: requests one chunk when a step needs more bytes than there are, so at most one chunk and the beginning
///   of one piece are in memory.
/// - **Completion**: a step that returns an optional returns `nil` at the end of the stream; a step that needs more
///   bytes than there are fails with the code `EBADMSG`, or `EMSGSIZE` if a line or a frame exceeds its limit. A task
///   that is cancelled gets a `CancellationError`, and no byte is lost.
/// - **Threads**: upstream may deliver on any thread. A task goes on where it runs; a published piece is delivered on the
///   thread that requests it, or on the one on which upstream delivers the rest of it.
/// - **Complexity**: a piece within a chunk is a slice of it; one that spans chunks is copied.
public final class ByteReader<Failure: Error>: Sendable {
    let unread: UnreadBytes<Failure>

    @usableFromInline init(_ unread: UnreadBytes<Failure>) { self.unread = unread }

    deinit { unread.cancel() }

    private func take(_ splitter: Splitter) async throws -> Bytes? {
        try await Taking(from: unread, splitter).piece()
    }
}

extension ByteReader {
    /// Takes the next line, without its terminator; `nil` at the end of the stream.
    ///
    /// Bytes that are not UTF-8 are replaced by U+FFFD;
    /// ``byteLine(maximumLength:terminators:longLines:unterminated:)`` returns them as they are.
    ///
    /// - Parameters:
    ///   - maximumLength: The maximum length of a line in bytes, without terminator: 1 MiB. Less than one traps.
    ///   - terminators: The terminator of a line.
    ///   - longLines: What happens to a longer line; the next step begins after its terminator, unless this one fails.
    ///   - unterminated: What happens to a last line without a terminator.
    public func line(
        maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed, longLines: LongLines = .fail,
        unterminated: UnterminatedLine = .deliver
    ) async throws -> String? {
        try await byteLine(
            maximumLength: maximumLength, terminators: terminators, longLines: longLines, unterminated: unterminated
        ).map { String($0) }
    }

    /// Takes the next line as bytes, without its terminator; `nil` at the end of the stream.
    public func byteLine(
        maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed, longLines: LongLines = .fail,
        unterminated: UnterminatedLine = .deliver
    ) async throws -> Bytes? {
        try await take(
            Splitting(
                lines: LineRules(
                    terminators: terminators, maximumLength: maximumLength, longLines: longLines,
                    unterminated: unterminated, cutsAtTerminator: true)
            ).makeSplitter())
    }

    /// Takes a number of bytes, all of them; a negative number traps.
    public func bytes(count: Int) async throws -> Bytes {
        checkCount(count, atLeast: 0)
        if count == 0 { return Bytes() }
        if let bytes = try await take(CountSplitter(count: count)) { return bytes }
        throw SystemError(call: "read", code: EBADMSG, subject: "(0 of \(count) bytes)")
    }

    /// Takes the next frame, which is preceded by its length; `nil` at the end of the stream.
    public func frame(
        lengthBytes: Int, byteOrder: ByteOrder = .bigEndian, maximumLength: Int = 1 << 20
    ) async throws -> Bytes? {
        try await take(
            Splitting(lengthBytes: lengthBytes, byteOrder: byteOrder, maximumLength: maximumLength).makeSplitter())
    }

    /// Takes the next frame, which is followed by a delimiter; `nil` at the end of the stream.
    public func frame(delimitedBy delimiter: Bytes, maximumLength: Int = 1 << 20) async throws -> Bytes? {
        try await take(Splitting(delimiter: delimiter, maximumLength: maximumLength).makeSplitter())
    }

    /// Takes what has arrived, up to a number of bytes, and waits if nothing has; `nil` at the end of the stream.
    ///
    /// - Parameter maximumCount: The maximum number of bytes; less than one traps.
    public func chunk(maximumCount: Int = .max) async throws -> Bytes? {
        checkCount(maximumCount, atLeast: 1)
        return try await take(WholeSplitter(maximumCount: maximumCount))
    }
}

extension ByteReader {
    /// Publishes the following lines, without their terminators.
    ///
    /// ```
    /// lines     ---a--(bc)---|
    /// ```
    ///
    /// **Demand**: one line is taken per value requested. **Completion**: at the end of the stream, after the last line.
    /// **Threads**: those of the reader.
    public func lines(
        maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed, longLines: LongLines = .fail,
        unterminated: UnterminatedLine = .deliver
    ) -> Publishers.Map<Publishers.ReaderPieces<Failure>, String> {
        byteLines(
            maximumLength: maximumLength, terminators: terminators, longLines: longLines, unterminated: unterminated
        ).map { String($0) }
    }

    /// Publishes the following lines as bytes, without their terminators.
    ///
    /// **Demand**, **Completion** and **Threads** are those of ``lines(maximumLength:terminators:longLines:unterminated:)``.
    public func byteLines(
        maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed, longLines: LongLines = .fail,
        unterminated: UnterminatedLine = .deliver
    ) -> Publishers.ReaderPieces<Failure> {
        let splitting = Splitting(
            lines: LineRules(
                terminators: terminators, maximumLength: maximumLength, longLines: longLines,
                unterminated: unterminated, cutsAtTerminator: true))
        return Publishers.ReaderPieces(reader: self, makeSplitter: splitting.makeSplitter)
    }

    /// Publishes the following bytes in pieces of one size; less than one byte traps.
    ///
    /// **Demand**: one piece is taken per value requested. **Completion**: at the end of the stream; fails if that is
    /// inside a piece (`EBADMSG`). **Threads**: those of the reader.
    public func pieces(count: Int) -> Publishers.ReaderPieces<Failure> {
        checkCount(count, atLeast: 1)
        return Publishers.ReaderPieces(reader: self) { CountSplitter(count: count) }
    }

    /// Publishes the following frames, each preceded by its length.
    ///
    /// **Demand** and **Completion** are those of `frames` of a stream of bytes, **Threads** those of the reader.
    public func frames(
        lengthBytes: Int, byteOrder: ByteOrder = .bigEndian, maximumLength: Int = 1 << 20
    ) -> Publishers.ReaderPieces<Failure> {
        let splitting = Splitting(lengthBytes: lengthBytes, byteOrder: byteOrder, maximumLength: maximumLength)
        return Publishers.ReaderPieces(reader: self, makeSplitter: splitting.makeSplitter)
    }

    /// Publishes the following frames, each followed by a delimiter.
    ///
    /// **Demand** and **Completion** are those of `frames` of a stream of bytes, **Threads** those of the reader.
    public func frames(
        delimitedBy delimiter: Bytes, maximumLength: Int = 1 << 20
    ) -> Publishers.ReaderPieces<Failure> {
        let splitting = Splitting(delimiter: delimiter, maximumLength: maximumLength)
        return Publishers.ReaderPieces(reader: self, makeSplitter: splitting.makeSplitter)
    }

    /// Publishes a number of bytes in chunks as they arrive, such as the body of a message; a negative number traps.
    ///
    /// **Demand**: one chunk per value requested. **Completion**: after the last of the bytes, without further demand;
    /// fails if the stream ends before it (`EBADMSG`). **Threads**: those of the reader.
    public func chunks(count: Int) -> Publishers.ReaderPieces<Failure> {
        checkCount(count, atLeast: 0)
        return Publishers.ReaderPieces(reader: self) { WholeSplitter(count: count) }
    }

    /// Publishes everything that follows, in chunks.
    ///
    /// **Demand**: one chunk per value requested. **Completion**: with the stream. **Threads**: those of the reader.
    public func rest() -> Publishers.ReaderPieces<Failure> {
        Publishers.ReaderPieces(reader: self) { WholeSplitter(count: nil) }
    }
}

extension Publisher where Output == Bytes, Failure == SystemError {
    /// Takes the stream apart step by step, for a protocol whose format changes on the way.
    ///
    /// ```swift no-run
    /// let reader = connection.bytes().reader()
    /// while let line = try await reader.line(), !line.isEmpty { print(line) }
    /// ```
    ///
    /// Subscribes now, and requests nothing before the first step.
    @inlinable public func reader() -> ByteReader<SystemError> {
        let unread = UnreadBytes<SystemError> { $0 }
        subscribe(unread)
        return ByteReader(unread)
    }
}

#if os(Linux)
    extension Publisher where Output == Bytes, Failure == CommandFailure {
        /// Takes the output of a program apart step by step.
        ///
        /// ```swift no-run
        /// let reader = Command("git", "cat-file", "--batch", input: .bytes("HEAD\n")).bytes().reader()
        /// let header = try await reader.line()
        /// ```
        ///
        /// Subscribes now; the first step starts the program.
        @inlinable public func reader() -> ByteReader<CommandFailure> {
            let unread = UnreadBytes<CommandFailure> { .system($0) }
            subscribe(unread)
            return ByteReader(unread)
        }
    }
#endif

private func checkCount(_ count: Int, atLeast least: Int) {
    require(
        count >= least, rule: "A reader takes at least \(least) bytes.", found: "\(count)",
        remedy: "Check the number before.")
}
