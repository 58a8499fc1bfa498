import HeadgateEngine

extension Publisher {
    /// Interleaves the values of this publisher with those of three others, as they arrive.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `merge(with:)`.
    @inlinable
    public func merge<
        B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>
    >(with b: B, _ c: C, _ d: D) -> Publishers.Merge4<Self, B, C, D> {
        Publishers.Merge4(self, b, c, d)
    }
}

extension Publishers.Merge {
    /// Interleaves the values of this publisher with those of two others.
    @inlinable public func merge<Z: Publisher<Output, Failure>, Y: Publisher<Output, Failure>>(
        with z: Z, _ y: Y
    ) -> Publishers.Merge4<A, B, Z, Y> {
        Publishers.Merge4(a, b, z, y)
    }
}

extension Publishers.Merge3 {
    /// Interleaves the values of this publisher with those of another.
    @inlinable public func merge<P: Publisher<Output, Failure>>(with other: P) -> Publishers.Merge4<A, B, C, P> {
        Publishers.Merge4(a, b, c, other)
    }
}

extension Publishers {
    /// A publisher that interleaves the values of four publishers.
    public struct Merge4<
        A: Publisher, B: Publisher<A.Output, A.Failure>, C: Publisher<A.Output, A.Failure>,
        D: Publisher<A.Output, A.Failure>
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

        /// Creates the publisher that `merge(with:_:_:)` returns.
        @inlinable public init(_ a: A, _ b: B, _ c: C, _ d: D) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            MergeConduit.connect([a.receive, b.receive, c.receive, d.receive], to: subscriber)
        }
    }
}

extension Publishers.Merge4: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}

extension Publishers.Merge4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
