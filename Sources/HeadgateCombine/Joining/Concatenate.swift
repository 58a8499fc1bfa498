import HeadgateEngine

extension Publisher {
    /// Publishes the values of this publisher, then the given values.
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
    /// - **Demand**: forwarded to the current publisher; demand that the first has not satisfied is requested from the
    ///   second.
    /// - **Completion**: finishes once the last publisher has finished. Fails as soon as any of them fails.
    /// - **Threads**: a value is delivered on the thread of the publisher that sends it. The next one is subscribed to
    ///   on the thread on which the one before it completes or, if that one is still being subscribed to, on the
    ///   thread that does so.
    /// - **Complexity**: constant time per value, however many publishers are chained.
    @inlinable public func append(_ elements: Output...)
        -> Publishers.Concatenate<Self, Publishers.Sequence<[Output], Failure>>
    {
        append(elements)
    }

    /// Publishes the values of this publisher, then the elements of a sequence.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `append(_:)` with values.
    @preconcurrency @inlinable public func append<S: Swift.Sequence & SendableMetatype>(
        _ elements: S
    ) -> Publishers.Concatenate<Self, Publishers.Sequence<S, Failure>> where Output == S.Element {
        append(Publishers.Sequence(sequence: elements))
    }

    /// Publishes the values of this publisher, then those of another.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `append(_:)` with values.
    @inlinable public func append<P: Publisher<Output, Failure>>(_ publisher: P) -> Publishers.Concatenate<Self, P> {
        Publishers.Concatenate(prefix: self, suffix: publisher)
    }

    /// Publishes the given values, then those of this publisher.
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
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `append(_:)`. This publisher is
    /// subscribed to after the given values have been delivered.
    @inlinable public func prepend(_ elements: Output...)
        -> Publishers.Concatenate<Publishers.Sequence<[Output], Failure>, Self>
    {
        prepend(elements)
    }

    /// Publishes the elements of a sequence, then the values of this publisher.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `append(_:)`.
    @preconcurrency @inlinable public func prepend<S: Swift.Sequence & SendableMetatype>(
        _ elements: S
    ) -> Publishers.Concatenate<Publishers.Sequence<S, Failure>, Self> where Output == S.Element {
        prepend(Publishers.Sequence(sequence: elements))
    }

    /// Publishes the values of another publisher, then those of this one.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `append(_:)`.
    @inlinable public func prepend<P: Publisher<Output, Failure>>(_ publisher: P) -> Publishers.Concatenate<P, Self> {
        Publishers.Concatenate(prefix: publisher, suffix: self)
    }
}

extension Publishers {
    /// A publisher of the values of one publisher, then those of another.
    public struct Concatenate<Prefix: Publisher, Suffix: Publisher<Prefix.Output, Prefix.Failure>>: Publisher {
        /// The type of the published values.
        public typealias Output = Suffix.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Suffix.Failure

        /// The first publisher.
        public let prefix: Prefix

        /// The second publisher.
        public let suffix: Suffix

        /// Creates the publisher that `append(_:)` and `prepend(_:)` return.
        @inlinable public init(prefix: Prefix, suffix: Suffix) {
            self.prefix = prefix
            self.suffix = suffix
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            SuccessionConduit.connect(prefix, then: suffix, to: subscriber)
        }
    }
}

extension Publishers.Concatenate: Sendable where Prefix: Sendable, Suffix: Sendable {}

extension Publishers.Concatenate: Equatable where Prefix: Equatable, Suffix: Equatable {}
