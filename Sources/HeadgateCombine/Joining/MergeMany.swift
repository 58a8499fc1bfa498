import HeadgateEngine

extension Publisher {
    /// Interleaves the values of this publisher with those of another of the same type, as they arrive.
    ///
    /// ```swift
    /// let cancellable = [1, 2].publisher.merge(with: [3].publisher)
    ///     .sink { print($0) }
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `merge(with:)` with a publisher of
    /// another type.
    @inlinable public func merge(with other: Self) -> Publishers.MergeMany<Self> {
        Publishers.MergeMany(self, other)
    }
}

extension Publishers {
    /// A publisher that interleaves the values of any number of publishers of one type.
    ///
    /// Without publishers, it finishes at once.
    public struct MergeMany<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The publishers.
        public let publishers: [Upstream]

        /// Creates a publisher that merges the given publishers.
        @inlinable public init(_ upstream: Upstream...) {
            publishers = upstream
        }

        /// Creates a publisher that merges the publishers in a sequence.
        @inlinable public init<S: Swift.Sequence>(_ upstream: S) where Upstream == S.Element {
            publishers = Array(upstream)
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            MergeConduit.connect(publishers.map { $0.receive }, to: subscriber)
        }

        /// Interleaves the values of this publisher with those of another.
        @inlinable public func merge(with other: Upstream) -> Publishers.MergeMany<Upstream> {
            MergeMany(publishers + [other])
        }
    }
}

extension Publishers.MergeMany: Sendable where Upstream: Sendable {}

extension Publishers.MergeMany: Equatable where Upstream: Equatable {}
