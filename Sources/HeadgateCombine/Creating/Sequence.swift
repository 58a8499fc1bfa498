import HeadgateCore
import HeadgateEngine

extension Sequence {
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
    /// - **Demand**: as many elements as are requested, at once, on the thread that requests them. No other element is
    ///   read; the sequence may be endless, and may wait in `next()`.
    /// - **Completion**: of a collection, right after the last element, or at once if there is none. A sequence that has to
    ///   be read to find its end completes when that is found: at the first request that it can't serve.
    @inlinable public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self) }
}

extension Publishers {
    /// A publisher of the elements of a sequence.
    public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
        /// The elements.
        public typealias Output = Elements.Element

        /// The sequence, which is iterated once for each subscriber.
        public let sequence: Elements

        /// Makes a publisher of a sequence's elements.
        @inlinable public init(sequence: Elements) { self.sequence = sequence }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            sequence.connect(to: subscriber, label: sequence)
        }
    }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}

extension Publishers.Sequence: Sendable where Elements: Sendable {}
