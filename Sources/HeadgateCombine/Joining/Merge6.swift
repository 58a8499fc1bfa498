import HeadgateEngine

extension Publisher {
    /// Interleaves the values of this publisher with those of five others, as they arrive.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `merge(with:)`.
    @inlinable
    public func merge<
        B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>,
        E: Publisher<Output, Failure>, F: Publisher<Output, Failure>
    >(with b: B, _ c: C, _ d: D, _ e: E, _ f: F) -> Publishers.Merge6<Self, B, C, D, E, F> {
        Publishers.Merge6(self, b, c, d, e, f)
    }
}

extension Publishers.Merge {
    /// Interleaves the values of this publisher with those of four others.
    @inlinable
    public func merge<
        Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>, X: Publisher<Output, Failure>,
        W: Publisher<Output, Failure>
    >(with z: Z, _ y: Y, _ x: X, _ w: W) -> Publishers.Merge6<A, B, Z, Y, X, W> {
        Publishers.Merge6(a, b, z, y, x, w)
    }
}

extension Publishers.Merge3 {
    /// Interleaves the values of this publisher with those of three others.
    @inlinable
    public func merge<
        Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>, X: Publisher<Output, Failure>
    >(with z: Z, _ y: Y, _ x: X) -> Publishers.Merge6<A, B, C, Z, Y, X> {
        Publishers.Merge6(a, b, c, z, y, x)
    }
}

extension Publishers.Merge4 {
    /// Interleaves the values of this publisher with those of two others.
    @inlinable public func merge<Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>>(
        with z: Z, _ y: Y
    ) -> Publishers.Merge6<A, B, C, D, Z, Y> {
        Publishers.Merge6(a, b, c, d, z, y)
    }
}

extension Publishers.Merge5 {
    /// Interleaves the values of this publisher with those of another.
    @inlinable public func merge<P: Publisher<Output, Failure>>(with other: P) -> Publishers.Merge6<A, B, C, D, E, P> {
        Publishers.Merge6(a, b, c, d, e, other)
    }
}

extension Publishers {
    /// A publisher that interleaves the values of six publishers.
    public struct Merge6<
        A: Publisher, B: Publisher<A.Output, A.Failure>, C: Publisher<A.Output, A.Failure>,
        D: Publisher<A.Output, A.Failure>, E: Publisher<A.Output, A.Failure>, F: Publisher<A.Output, A.Failure>
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

        /// The sixth publisher.
        public let f: F

        /// Creates the publisher that `merge(with:_:_:_:_:)` returns.
        @inlinable public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
            self.e = e
            self.f = f
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            MergeConduit.connect([a.receive, b.receive, c.receive, d.receive, e.receive, f.receive], to: subscriber)
        }
    }
}

extension Publishers.Merge6: Sendable
where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable {}

extension Publishers.Merge6: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable {}
