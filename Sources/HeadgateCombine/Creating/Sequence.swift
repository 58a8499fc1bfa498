import HeadgateEngine

extension Sequence where Self: SendableMetatype {
    /// Publishes the elements of the sequence.
    ///
    /// ```
    /// (1...3).publisher   (123|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...).publisher
    ///     .map { $0 * $0 }
    ///     .first { $0 > 50 }
    ///     .sink { print($0) }
    /// // 64
    /// ```
    ///
    /// - **Demand**: as many elements as are requested, at once, on the requesting thread. No further element is read;
    ///   the sequence may be endless, and may block in `next()`.
    /// - **Completion**: for a collection, right after the last element, or at once if there is none. A sequence whose
    ///   end is found only by reading completes when the end is found: at the first request that it can't satisfy.
    /// - **Threads**: elements are delivered on the requesting thread; what another thread requests meanwhile is
    ///   delivered by the one that is delivering.
    @preconcurrency @inlinable public var publisher: Publishers.Sequence<Self, Never> {
        Publishers.Sequence(sequence: self)
    }
}

extension Publishers {
    /// A publisher of the elements of a sequence.
    @preconcurrency public struct Sequence<Elements: Swift.Sequence & SendableMetatype, Failure: Error>: Publisher {
        /// The type of the published values.
        public typealias Output = Elements.Element

        /// The sequence, which is iterated once per subscriber.
        public let sequence: Elements

        /// Creates a publisher of a sequence's elements.
        @inlinable public init(sequence: Elements) { self.sequence = sequence }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            sequence.connect(to: subscriber, label: sequence)
        }
    }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}

extension Publishers.Sequence: Sendable where Elements: Sendable {}
