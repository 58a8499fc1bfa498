import HeadgateEngine

// Bytes that come from elsewhere, such as SwiftNIO, URLSession or a decompressor, fail with errors of their own.

extension Publisher where Output == Bytes {
    /// Publishes the lines of a stream of bytes, which may fail with any error, as texts, without their terminators.
    ///
    /// ```swift
    /// struct Reset: Error {}
    /// let cancellable = ["one\ntw", "o\nthr"].publisher.map { Bytes($0) }
    ///     .setFailureType(to: Reset.self)
    ///     .append(Fail(error: Reset()))
    ///     .lines()
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // one
    /// // two
    /// // failure(main.Reset())
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `lines` of a stream that fails with a
    /// ``SystemError``. Fails with the failure of upstream, or with a `SystemError` of its own.
    ///
    /// - Parameters:
    ///   - maximumLength: The maximum length of a line in bytes, without terminator: 1 MiB. Less than one traps.
    ///   - terminators: The terminator of a line.
    ///   - longLines: What happens to a longer line. One that is cut ends with a complete character.
    ///   - unterminated: What happens to a last line without a terminator.
    ///   - invalid: What happens to a line that is not UTF-8.
    @_disfavoredOverload
    public func lines(
        maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed, longLines: LongLines = .fail,
        unterminated: UnterminatedLine = .deliver, invalid: InvalidText = .repair
    ) -> Publishers.ForeignTextLines<Self> {
        Publishers.ForeignTextLines(
            upstream: self,
            splitting: Splitting(
                lines: LineRules(
                    terminators: terminators, maximumLength: maximumLength, longLines: longLines,
                    unterminated: unterminated, keepsCharacters: true)),
            invalid: invalid)
    }

    /// Publishes the lines of a stream of bytes, which may fail with any error, as bytes, without their terminators.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `byteLines` of a stream that fails with a
    /// ``SystemError``. Fails with the failure of upstream, or with a `SystemError` of its own.
    ///
    /// - Parameters:
    ///   - maximumLength: The maximum length of a line in bytes, without terminator: 1 MiB. Less than one traps.
    ///   - terminators: The terminator of a line.
    ///   - longLines: What happens to a longer line.
    ///   - unterminated: What happens to a last line without a terminator.
    @_disfavoredOverload
    public func byteLines(
        maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed, longLines: LongLines = .fail,
        unterminated: UnterminatedLine = .deliver
    ) -> Publishers.ForeignBytePieces<Self> {
        Publishers.ForeignBytePieces(
            upstream: self,
            splitting: Splitting(
                lines: LineRules(
                    terminators: terminators, maximumLength: maximumLength, longLines: longLines,
                    unterminated: unterminated)))
    }

    /// Publishes the frames of a stream of bytes, which may fail with any error, each preceded by its length.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `frames` of a stream that fails with a
    /// ``SystemError``. Fails with the failure of upstream, or with a `SystemError` of its own.
    ///
    /// - Parameters:
    ///   - lengthBytes: The size of the length field in bytes, 1 to 8; anything else traps.
    ///   - byteOrder: The byte order of the length.
    ///   - maximumLength: The maximum length of a frame: 1 MiB. Less than one traps.
    @_disfavoredOverload
    public func frames(
        lengthBytes: Int, byteOrder: ByteOrder = .bigEndian, maximumLength: Int = 1 << 20
    ) -> Publishers.ForeignBytePieces<Self> {
        Publishers.ForeignBytePieces(
            upstream: self,
            splitting: Splitting(lengthBytes: lengthBytes, byteOrder: byteOrder, maximumLength: maximumLength))
    }

    /// Publishes the frames of a stream of bytes, which may fail with any error, each followed by a delimiter.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `frames` of a stream that fails with a
    /// ``SystemError``. Fails with the failure of upstream, or with a `SystemError` of its own.
    ///
    /// - Parameters:
    ///   - delimiter: The bytes after each frame; an empty delimiter traps.
    ///   - maximumLength: The maximum length of a frame: 1 MiB. Less than one traps.
    @_disfavoredOverload
    public func frames(
        delimitedBy delimiter: Bytes, maximumLength: Int = 1 << 20
    ) -> Publishers.ForeignBytePieces<Self> {
        Publishers.ForeignBytePieces(
            upstream: self, splitting: Splitting(delimiter: delimiter, maximumLength: maximumLength))
    }

    /// Takes a stream of bytes, which may fail with any error, apart step by step.
    ///
    /// Subscribes now, and requests nothing before the first step. A step fails with the failure of upstream, or with a
    /// ``SystemError`` of its own.
    @_disfavoredOverload
    @inlinable public func reader() -> ByteReader<any Error> {
        let unread = UnreadBytes<any Error> { $0 }
        mapError { $0 as any Error }.subscribe(unread)
        return ByteReader(unread)
    }
}

extension Publishers {
    /// A publisher of the pieces, its lines or its frames, of a stream of bytes that may fail with any error.
    public struct ForeignBytePieces<Upstream: Publisher>: Publisher where Upstream.Output == Bytes {
        /// The type of the published values.
        public typealias Output = Bytes

        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The publisher of the bytes.
        public let upstream: Upstream

        @usableFromInline let splitting: Splitting

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = SplittingConduit(
                name: splitting.name, ErasingSplitter(splitting.makeSplitter()), AnySubscriber(subscriber))
            conduit.connect(upstream.mapError { $0 as any Error }, to: subscriber)
        }
    }

    /// A publisher of the lines, as texts, of a stream of bytes that may fail with any error.
    public struct ForeignTextLines<Upstream: Publisher>: Publisher where Upstream.Output == Bytes {
        /// The type of the published values.
        public typealias Output = String

        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The publisher of the bytes.
        public let upstream: Upstream

        @usableFromInline let splitting: Splitting

        /// What happens to a line that is not UTF-8.
        public let invalid: InvalidText

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = SplittingConduit(
                name: splitting.name, ErasingSplitter(TextSplitter(splitting, invalid: invalid)),
                AnySubscriber(subscriber))
            conduit.connect(upstream.mapError { $0 as any Error }, to: subscriber)
        }
    }
}

extension Publishers.ForeignBytePieces: Sendable where Upstream: Sendable {}

extension Publishers.ForeignTextLines: Sendable where Upstream: Sendable {}

/// A splitter whose failures are those of any stream.
@usableFromInline struct ErasingSplitter<Base: ChunkSplitter>: ChunkSplitter {
    @usableFromInline let base: Base

    @inlinable init(_ base: Base) { self.base = base }

    @inlinable var isEmpty: Bool { base.isEmpty }

    @inlinable func take(_ chunk: Base.Chunk) { base.take(chunk) }

    @inlinable func forEachPiece(_ body: (Base.Piece) -> Bool) throws(any Error) { try base.forEachPiece(body) }

    @inlinable func finish() throws(any Error) -> Base.Piece? { try base.finish() }
}
