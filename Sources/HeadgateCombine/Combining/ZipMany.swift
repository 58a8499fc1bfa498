import HeadgateEngine

extension Publisher {
    /// Groups the first values of three publishers into a triple, then the second values, and so on.
    ///
    /// ```swift
    /// let cancellable = [1, 2].publisher.zip("ab".publisher, [true, false].publisher)
    ///     .sink { print($0) }
    /// // (1, "a", true)
    /// // (2, "b", false)
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `zip(_:)`.
    @inlinable public func zip<P: Publisher, Q: Publisher>(
        _ publisher1: P, _ publisher2: Q
    ) -> Publishers.Zip3<Self, P, Q> where P.Failure == Failure, P.Failure == Q.Failure {
        Publishers.Zip3(self, publisher1, publisher2)
    }

    /// Combines the first values of three publishers with a closure, then the second values, and so on.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `zip(_:)`.
    @preconcurrency @inlinable public func zip<P: Publisher, Q: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ transform: @escaping @Sendable (Output, P.Output, Q.Output) -> T
    ) -> Publishers.Map<Publishers.Zip3<Self, P, Q>, T> where P.Failure == Failure, P.Failure == Q.Failure {
        zip(publisher1, publisher2).map { transform($0.0, $0.1, $0.2) }
    }

    /// Groups the first values of four publishers into a quadruple, then the second values, and so on.
    ///
    /// ```swift
    /// let cancellable = [1, 2].publisher.zip([3, 4].publisher, [5, 6].publisher, [7, 8].publisher)
    ///     .sink { print($0) }
    /// // (1, 3, 5, 7)
    /// // (2, 4, 6, 8)
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `zip(_:)`.
    @inlinable public func zip<P: Publisher, Q: Publisher, R: Publisher>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R
    ) -> Publishers.Zip4<Self, P, Q, R> where P.Failure == Failure, P.Failure == Q.Failure, Q.Failure == R.Failure {
        Publishers.Zip4(self, publisher1, publisher2, publisher3)
    }

    /// Combines the first values of four publishers with a closure, then the second values, and so on.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `zip(_:)`.
    @preconcurrency @inlinable public func zip<P: Publisher, Q: Publisher, R: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R,
        _ transform: @escaping @Sendable (Output, P.Output, Q.Output, R.Output) -> T
    ) -> Publishers.Map<Publishers.Zip4<Self, P, Q, R>, T>
    where P.Failure == Failure, P.Failure == Q.Failure, Q.Failure == R.Failure {
        zip(publisher1, publisher2, publisher3).map { transform($0.0, $0.1, $0.2, $0.3) }
    }
}

extension Publishers {
    /// A publisher of triples of the values of three publishers.
    public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
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

        /// Creates the publisher that `zip(_:_:)` returns.
        @inlinable public init(_ a: A, _ b: B, _ c: C) {
            self.a = a
            self.b = b
            self.c = c
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            ZipConduit<Output, Failure>.connect(to: subscriber) { conduit in
                let (a, b, c) = (conduit.side(a), conduit.side(b), conduit.side(c))
                return { (a.next(), b.next(), c.next()) }
            }
        }
    }

    /// A publisher of quadruples of the values of four publishers.
    public struct Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
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

        /// Creates the publisher that `zip(_:_:_:)` returns.
        @inlinable public init(_ a: A, _ b: B, _ c: C, _ d: D) {
            self.a = a
            self.b = b
            self.c = c
            self.d = d
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            ZipConduit<Output, Failure>.connect(to: subscriber) { conduit in
                let (a, b, c, d) = (conduit.side(a), conduit.side(b), conduit.side(c), conduit.side(d))
                return { (a.next(), b.next(), c.next(), d.next()) }
            }
        }
    }
}

extension Publishers.Zip3: Sendable where A: Sendable, B: Sendable, C: Sendable {}

extension Publishers.Zip4: Sendable where A: Sendable, B: Sendable, C: Sendable, D: Sendable {}

extension Publishers.Zip3: Equatable where A: Equatable, B: Equatable, C: Equatable {}

extension Publishers.Zip4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}
