import HeadgateEngine

extension Publisher {
    /// Interleaves the values of this publisher with those of four others, as they arrive.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `merge(with:)`.
    @inlinable
    public func merge<
        B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>,
        E: Publisher<Output, Failure>
    >(with b: B, _ c: C, _ d: D, _ e: E) -> Publishers.Merge5<Self, B, C, D, E> {
        Publishers.Merge5(self, b, c, d, e)
    }
}

extension Publishers.Merge {
    /// Interleaves the values of this publisher with those of three others.
    @inlinable
    public func merge<
        Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>, X: Publisher<Output, Failure>
    >(with z: Z, _ y: Y, _ x: X) -> Publishers.Merge5<A, B, Z, Y, X> {
        Publishers.Merge5(a, b, z, y, x)
    }
}

extension Publishers.Merge3 {
    /// Interleaves the values of this publisher with those of two others.
    @inlinable public func merge<Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>>(
        with z: Z, _ y: Y
    ) -> Publishers.Merge5<A, B, C, Z, Y> {
        Publishers.Merge5(a, b, c, z, y)
    }
}

extension Publishers.Merge4 {
    /// Interleaves the values of this publisher with those of another.
    @inlinable public func merge<P: Publisher<Output, Failure>>(with other: P) -> Publishers.Merge5<A, B, C, D, P> {
        Publishers.Merge5(a, b, c, d, other)
    }
}

extension Publishers {
    /// A publisher that interleaves the values of five publishers.
    public struct Merge5<
        A: Publisher, B: Publisher<A.Output, A.Failure>, C: Publisher<A.Output, A.Failure>,
        D: Publisher<A.Output, A.Failure>, E: Publisher<A.Output, A.Failure>
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

        /// The fourth publisher.
        public let d: D

        /// The fifth publisher.
        public let e: E

        /// Creates the publisher that `merge(with:_:_:_:)` returns.
        @inlinable public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
            self.e = e
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            MergeConduit.connect([a.receive, b.receive, c.receive, d.receive, e.receive], to: subscriber)
        }
    }
}

extension Publishers.Merge5: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable {}

extension Publishers.Merge5: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable {}
