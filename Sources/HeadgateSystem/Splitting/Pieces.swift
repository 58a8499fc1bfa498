import HeadgateEngine
import HeadgateLibC

/// How to split a stream of bytes into pieces.
@usableFromInline struct Splitting: Sendable {
    @usableFromInline let name: StaticString

    @usableFromInline let makeSplitter: @Sendable () -> Splitter
}

/// Splits, and makes a text of each piece.
@usableFromInline struct TextSplitter: ChunkSplitter {
    let base: Splitter
    let invalid: InvalidText

    @usableFromInline init(_ splitting: Splitting, invalid: InvalidText) {
        base = splitting.makeSplitter()
        self.invalid = invalid
    }

    @usableFromInline var isEmpty: Bool { base.isEmpty }

    @usableFromInline func take(_ chunk: Bytes) { base.take(chunk) }

    @usableFromInline func forEachPiece(_ body: (String) -> Bool) throws(SystemError) {
        var isValid = true
        try base.forEachPiece { piece in
            guard let text = text(of: piece) else {
                isValid = false
                return false
            }
            return body(text)
        }
        if !isValid { throw Self.invalidText }
    }

    @usableFromInline func finish() throws(SystemError) -> String? {
        guard let piece = try base.finish() else { return nil }
        guard let text = text(of: piece) else { throw Self.invalidText }
        return text
    }

    private func text(of piece: Bytes) -> String? {
        invalid == .repair ? String(piece) : String(validating: piece)
    }

    private static var invalidText: SystemError { SystemError(call: "lines", code: EILSEQ, subject: "(not UTF-8)") }
}

extension Publishers {
    /// A publisher of the pieces of a stream of bytes, its lines or its frames, as bytes.
    public struct BytePieces<Upstream: Publisher<Bytes, SystemError>>: Publisher {
        /// The type of the published values.
        public typealias Output = Bytes

        /// The type of error that the stream may fail with.
        public typealias Failure = SystemError

        /// The publisher of the bytes.
        public let upstream: Upstream

        @usableFromInline let splitting: Splitting

        // Inlinable, so that the closures are created where the subscriber's type is known.
        /// Connects a subscriber through one conduit.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = SplittingConduit(
                name: splitting.name, splitting.makeSplitter(), AnySubscriber(subscriber))
            conduit.connect(upstream, to: subscriber)
        }
    }

    /// A publisher of the lines of a stream of bytes, as texts.
    public struct TextLines<Upstream: Publisher<Bytes, SystemError>>: Publisher {
        /// The type of the published values.
        public typealias Output = String

        /// The type of error that the stream may fail with.
        public typealias Failure = SystemError

        /// The publisher of the bytes.
        public let upstream: Upstream

        @usableFromInline let splitting: Splitting

        /// What happens to a line that is not UTF-8.
        public let invalid: InvalidText

        /// Connects a subscriber through one conduit.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = SplittingConduit(
                name: splitting.name, TextSplitter(splitting, invalid: invalid), AnySubscriber(subscriber))
            conduit.connect(upstream, to: subscriber)
        }
    }
}

extension Publishers.BytePieces: Sendable where Upstream: Sendable {}

extension Publishers.TextLines: Sendable where Upstream: Sendable {}
