import Headgate

/// How to split a stream of bytes into pieces.
@usableFromInline struct Splitting: Sendable {
    let name: String
    let makeSplitter: @Sendable () -> any Splitter
}

extension Publishers {
    /// A publisher of the pieces of a stream of bytes, its lines or its frames, as bytes.
    public struct BytePieces<Upstream: Publisher<Bytes, SystemError>>: Publisher {
        public typealias Output = Bytes

        public typealias Failure = SystemError

        /// The publisher of the bytes.
        public let upstream: Upstream

        @usableFromInline let splitting: Splitting

        init(upstream: Upstream, splitting: Splitting) {
            self.upstream = upstream
            self.splitting = splitting
        }

        // Inlinable, so that the closures are created where the subscriber's type is known.
        /// Connects a subscriber through one conduit.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = SplittingConduit(
                splitting, receivePiece: { subscriber.receive($0) },
                receiveCompletion: { subscriber.receive(completion: $0) })
            upstream.subscribe(conduit.inlet { subscriber.receive(subscription: $0) })
        }
    }

    /// A publisher of the lines of a stream of bytes, as texts.
    public struct TextLines<Upstream: Publisher<Bytes, SystemError>>: Publisher {
        public typealias Output = String

        public typealias Failure = SystemError

        /// The publisher of the bytes.
        public let upstream: Upstream

        /// What happens to a line that is not UTF-8.
        public let invalid: InvalidText

        @usableFromInline let splitting: Splitting

        init(upstream: Upstream, splitting: Splitting, invalid: InvalidText) {
            self.upstream = upstream
            self.splitting = splitting
            self.invalid = invalid
        }

        /// Connects a subscriber through one conduit.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let invalid = self.invalid
            let conduit = SplittingConduit(
                splitting,
                receivePiece: { bytes in
                    guard invalid == .repair else { return String(validating: bytes).map { subscriber.receive($0) } }
                    return subscriber.receive(String(bytes))
                }, receiveCompletion: { subscriber.receive(completion: $0) })
            upstream.subscribe(conduit.inlet { subscriber.receive(subscription: $0) })
        }
    }
}

extension Publishers.BytePieces: Sendable where Upstream: Sendable {}

extension Publishers.TextLines: Sendable where Upstream: Sendable {}
