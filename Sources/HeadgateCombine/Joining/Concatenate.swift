import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes the values of this publisher, and when it has finished, some more.
    ///
    /// ```
    /// self      1---2---|
    /// append    (8, 9)
    ///           1---2---(89|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2].publisher.append(8, 9)
    ///     .sink { print($0) }
    /// // 1
    /// // 2
    /// // 8
    /// // 9
    /// ```
    ///
    /// - **Demand**: passed on to the publisher whose turn it is; what the first one has not served is asked of the
    ///   second.
    /// - **Completion**: finishes when the last one has finished. Fails when any of them fails, and goes no further.
    /// - **Complexity**: constant time a value, however many are chained.
    @inlinable public func append(_ elements: Output...)
        -> Publishers.Concatenate<Self, Publishers.Sequence<[Output], Failure>>
    {
        append(elements)
    }

    /// Publishes the values of this publisher, and when it has finished, the elements of a sequence.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `append(_:)` with values.
    @inlinable public func append<S: Swift.Sequence>(
        _ elements: S
    ) -> Publishers.Concatenate<Self, Publishers.Sequence<S, Failure>> where Output == S.Element {
        append(Publishers.Sequence(sequence: elements))
    }

    /// Publishes the values of this publisher, and when it has finished, those of another one.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `append(_:)` with values.
    @inlinable public func append<P: Publisher>(
        _ publisher: P
    ) -> Publishers.Concatenate<Self, P> where Failure == P.Failure, Output == P.Output {
        Publishers.Concatenate(prefix: self, suffix: publisher)
    }

    /// Publishes some values first, and then those of this publisher.
    ///
    /// ```
    /// prepend   (8, 9)
    /// self      1-------2---|
    ///           (891)---2---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2].publisher.prepend(8, 9)
    ///     .sink { print($0) }
    /// // 8
    /// // 9
    /// // 1
    /// // 2
    /// ```
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `append(_:)`. This publisher is subscribed to when
    /// the values have been served.
    @inlinable public func prepend(_ elements: Output...)
        -> Publishers.Concatenate<Publishers.Sequence<[Output], Failure>, Self>
    {
        prepend(elements)
    }

    /// Publishes the elements of a sequence first, and then the values of this publisher.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `append(_:)`.
    @inlinable public func prepend<S: Swift.Sequence>(
        _ elements: S
    ) -> Publishers.Concatenate<Publishers.Sequence<S, Failure>, Self> where Output == S.Element {
        prepend(Publishers.Sequence(sequence: elements))
    }

    /// Publishes the values of another publisher first, and when it has finished, those of this one.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `append(_:)`.
    @inlinable public func prepend<P: Publisher>(
        _ publisher: P
    ) -> Publishers.Concatenate<P, Self> where Failure == P.Failure, Output == P.Output {
        Publishers.Concatenate(prefix: publisher, suffix: self)
    }
}

extension Publishers {
    /// A publisher of the values of one publisher and then of those of another.
    public struct Concatenate<Prefix: Publisher, Suffix: Publisher>: Publisher
    where Prefix.Failure == Suffix.Failure, Prefix.Output == Suffix.Output {
        /// The values of both publishers.
        public typealias Output = Suffix.Output

        /// The errors of both publishers.
        public typealias Failure = Suffix.Failure

        /// The publisher that comes first.
        public let prefix: Prefix

        /// The publisher that follows.
        public let suffix: Suffix

        /// Makes the publisher that `append(_:)` and `prepend(_:)` return.
        @inlinable public init(prefix: Prefix, suffix: Suffix) {
            self.prefix = prefix
            self.suffix = suffix
        }

        /// Connects a subscriber to one publisher after the other.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            SuccessionConduit.connect(prefix, then: suffix, to: subscriber)
        }
    }
}

extension Publishers.Concatenate: StrictlySendable where Prefix: StrictlySendable, Suffix: StrictlySendable {}

extension Publishers.Concatenate: Equatable where Prefix: Equatable, Suffix: Equatable {}
