import HeadgateEngine

extension Publisher {
    /// Interleaves the values of this publisher with those of six others, as they arrive.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `merge(with:)`.
    @inlinable
    public func merge<
        B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>,
        E: Publisher<Output, Failure>, F: Publisher<Output, Failure>, G: Publisher<Output, Failure>
    >(with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) -> Publishers.Merge7<Self, B, C, D, E, F, G> {
        Publishers.Merge7(self, b, c, d, e, f, g)
    }
}

extension Publishers.Merge {
    /// Interleaves the values of this publisher with those of five others.
    @inlinable
    public func merge<
        Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>, X: Publisher<Output, Failure>,
        W: Publisher<Output, Failure>, V: Publisher<Output, Failure>
    >(with z: Z, _ y: Y, _ x: X, _ w: W, _ v: V) -> Publishers.Merge7<A, B, Z, Y, X, W, V> {
        Publishers.Merge7(a, b, z, y, x, w, v)
    }
}

extension Publishers.Merge3 {
    /// Interleaves the values of this publisher with those of four others.
    @inlinable
    public func merge<
        Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>, X: Publisher<Output, Failure>,
        W: Publisher<Output, Failure>
    >(with z: Z, _ y: Y, _ x: X, _ w: W) -> Publishers.Merge7<A, B, C, Z, Y, X, W> {
        Publishers.Merge7(a, b, c, z, y, x, w)
    }
}

extension Publishers.Merge4 {
    /// Interleaves the values of this publisher with those of three others.
    @inlinable
    public func merge<
        Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>, X: Publisher<Output, Failure>
    >(with z: Z, _ y: Y, _ x: X) -> Publishers.Merge7<A, B, C, D, Z, Y, X> {
        Publishers.Merge7(a, b, c, d, z, y, x)
    }
}

extension Publishers.Merge5 {
    /// Interleaves the values of this publisher with those of two others.
    @inlinable public func merge<Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>>(
        with z: Z, _ y: Y
    ) -> Publishers.Merge7<A, B, C, D, E, Z, Y> {
        Publishers.Merge7(a, b, c, d, e, z, y)
    }
}

extension Publishers.Merge6 {
    /// Interleaves the values of this publisher with those of another.
    @inlinable public func merge<P: Publisher<Output, Failure>>(
        with other: P
    ) -> Publishers.Merge7<A, B, C, D, E, F, P> {
        Publishers.Merge7(a, b, c, d, e, f, other)
    }
}

extension Publishers {
    /// A publisher that interleaves the values of seven publishers.
    public struct Merge7<
        A: Publisher, B: Publisher<A.Output, A.Failure>, C: Publisher<A.Output, A.Failure>,
        D: Publisher<A.Output, A.Failure>, E: Publisher<A.Output, A.Failure>, F: Publisher<A.Output, A.Failure>,
        G: Publisher<A.Output, A.Failure>
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

        /// The seventh publisher.
        public let g: G

        /// Creates the publisher that `merge(with:_:_:_:_:_:)` returns.
        @inlinable public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
            self.e = e
            self.f = f
            self.g = g
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            MergeConduit.connect(
                [a.receive, b.receive, c.receive, d.receive, e.receive, f.receive, g.receive],
                to: subscriber)
        }
    }
}

extension Publishers.Merge7: Sendable
where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable {}

extension Publishers.Merge7: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable {}
