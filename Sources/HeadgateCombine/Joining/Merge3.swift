import HeadgateEngine

extension Publisher {
    /// Interleaves the values of this publisher with those of two others, as they arrive.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `merge(with:)`.
    @inlinable public func merge<B: Publisher<Output, Failure>, C: Publisher<Output, Failure>>(
        with b: B, _ c: C
    ) -> Publishers.Merge3<Self, B, C> {
        Publishers.Merge3(self, b, c)
    }
}

extension Publishers.Merge {
    /// Interleaves the values of this publisher with those of another.
    @inlinable public func merge<P: Publisher<Output, Failure>>(with other: P) -> Publishers.Merge3<A, B, P> {
        Publishers.Merge3(a, b, other)
    }
}

extension Publishers {
    /// A publisher that interleaves the values of three publishers.
    public struct Merge3<
        A: Publisher, B: Publisher<A.Output, A.Failure>, C: Publisher<A.Output, A.Failure>
    >: Publisher {
        /// The type of the published values.
        public typealias Output = A.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A

        /// The second publisher.
        public let b: B

        /// The third publisher.
        public let c: C

        /// Creates the publisher that `merge(with:_:)` returns.
        @inlinable public init(_ a: A, _ b: B, _ c: C) {
            self.a = a
            self.b = b
            self.c = c
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            MergeConduit.connect([a.receive, b.receive, c.receive], to: subscriber)
        }
    }
}

extension Publishers.Merge3: Sendable where A: Sendable, B: Sendable, C: Sendable {}

extension Publishers.Merge3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
