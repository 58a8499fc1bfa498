import HeadgateCore

extension Sequence {
    /// A publisher of the sequence's elements.
    @inlinable
    public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self) }
}

extension Publishers {
    /// A publisher of the elements of a sequence.
    public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
        public typealias Output = Elements.Element

        /// The sequence, which is iterated once for each subscriber.
        public let sequence: Elements

        /// Makes a publisher of a sequence's elements.
        @inlinable
        public init(sequence: Elements) { self.sequence = sequence }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            sequence.connect(to: subscriber, label: sequence)
        }
    }
}
