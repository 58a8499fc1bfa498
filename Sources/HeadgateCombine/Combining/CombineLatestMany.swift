import HeadgateEngine

extension Publisher {
    /// Publishes the most recent values of three publishers, whenever one of them publishes.
    ///
    /// ```swift
    /// let cancellable = Just(1).combineLatest(Just("a"), [true, false].publisher)
    ///     .sink { print($0) }
    /// // (1, "a", true)
    /// // (1, "a", false)
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `combineLatest(_:)`.
    @inlinable public func combineLatest<P: Publisher, Q: Publisher>(
        _ publisher1: P, _ publisher2: Q
    ) -> Publishers.CombineLatest3<Self, P, Q> where P.Failure == Failure, P.Failure == Q.Failure {
        Publishers.CombineLatest3(self, publisher1, publisher2)
    }

    /// Combines the most recent values of three publishers with a closure, whenever one of them publishes.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `combineLatest(_:)`.
    @preconcurrency @inlinable public func combineLatest<P: Publisher, Q: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ transform: @escaping @Sendable (Output, P.Output, Q.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest3<Self, P, Q>, T> where P.Failure == Failure, P.Failure == Q.Failure {
        combineLatest(publisher1, publisher2).map { transform($0.0, $0.1, $0.2) }
    }

    /// Publishes the most recent values of four publishers, whenever one of them publishes.
    ///
    /// ```swift
    /// let cancellable = Just(1).combineLatest(Just(3), Just(5), [7, 8].publisher)
    ///     .sink { print($0) }
    /// // (1, 3, 5, 7)
    /// // (1, 3, 5, 8)
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `combineLatest(_:)`.
    @inlinable public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R
    ) -> Publishers.CombineLatest4<Self, P, Q, R>
    where P.Failure == Failure, P.Failure == Q.Failure, Q.Failure == R.Failure {
        Publishers.CombineLatest4(self, publisher1, publisher2, publisher3)
    }

    /// Combines the most recent values of four publishers with a closure, whenever one of them publishes.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `combineLatest(_:)`.
    @preconcurrency @inlinable public func combineLatest<P: Publisher, Q: Publisher, R: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R,
        _ transform: @escaping @Sendable (Output, P.Output, Q.Output, R.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest4<Self, P, Q, R>, T>
    where P.Failure == Failure, P.Failure == Q.Failure, Q.Failure == R.Failure {
        combineLatest(publisher1, publisher2, publisher3).map { transform($0.0, $0.1, $0.2, $0.3) }
    }
}

extension Publishers {
    /// A publisher of the most recent values of three publishers.
    public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure {
        /// The type of the published values.
        public typealias Output = (A.Output, B.Output, C.Output)
        /// The type of error that the stream may fail with.
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A

        /// The second publisher.
        public let b: B

        /// The third publisher.
        public let c: C

        /// Creates the publisher that `combineLatest(_:_:)` returns.
        @inlinable public init(_ a: A, _ b: B, _ c: C) {
            self.a = a
            self.b = b
            self.c = c
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            LatestConduit<Output, Failure>.connect(to: subscriber) { conduit in
                let (a, b, c) = (conduit.side(a), conduit.side(b), conduit.side(c))
                return { (a.value, b.value, c.value) }
            }
        }
    }

    /// A publisher of the most recent values of four publishers.
    public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
        /// The type of the published values.
        public typealias Output = (A.Output, B.Output, C.Output, D.Output)
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

        /// Creates the publisher that `combineLatest(_:_:_:)` returns.
        @inlinable public init(_ a: A, _ b: B, _ c: C, _ d: D) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            LatestConduit<Output, Failure>.connect(to: subscriber) { conduit in
                let (a, b, c, d) = (conduit.side(a), conduit.side(b), conduit.side(c), conduit.side(d))
                return { (a.value, b.value, c.value, d.value) }
            }
        }
    }
}

extension Publishers.CombineLatest3: Sendable where A: Sendable, B: Sendable, C: Sendable {}

extension Publishers.CombineLatest4: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}

extension Publishers.CombineLatest3: Equatable where A: Equatable, B: Equatable, C: Equatable {}

extension Publishers.CombineLatest4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
