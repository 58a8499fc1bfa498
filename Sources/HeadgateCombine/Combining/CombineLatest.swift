import HeadgateEngine

extension Publisher {
    /// Publishes the most recent values of both publishers as a pair, whenever either publishes.
    ///
    /// ```
    /// self            1-----2-----3--|
    /// other           ---a-----b----------|
    /// combineLatest   ---(1,a)-(2,a)-(2,b)-(3,b)-|
    /// ```
    ///
    /// ```swift
    /// let sizes = PassthroughSubject<Int, Never>()
    /// let names = PassthroughSubject<String, Never>()
    /// let cancellable = sizes.combineLatest(names).sink { print($0, $1) }
    /// sizes.send(1)
    /// names.send("a")
    /// sizes.send(2)
    /// // 1 a
    /// // 2 a
    /// ```
    ///
    /// - **Demand**: forwarded to both sides. A combination that arrives without demand waits until there is demand, or
    ///   until a later one replaces it.
    /// - **Completion**: finishes once both sides have finished. Fails at once when either side fails, and cancels the
    ///   other.
    /// - **Threads**: a pair is delivered on the thread of the publisher whose value completes it, or of the request
    ///   that it has waited for. One thread delivers at a time: another that sends waits for its turn, or leaves its
    ///   value to the first if that takes long (rule 3.6 of the contract), and one that requests leaves what waits to
    ///   it. `cancel()` reaches both publishers on the calling thread, or on the one that is delivering.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameter other: The publisher of the pairs' second values.
    @inlinable public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P>
    where P.Failure == Failure {
        Publishers.CombineLatest(self, other)
    }

    /// Combines the most recent values of both publishers with a closure, whenever either publishes.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `combineLatest(_:)`.
    ///
    /// - Parameters:
    ///   - other: The publisher of the closure's second argument.
    ///   - transform: Combines the most recent values.
    @preconcurrency @inlinable public func combineLatest<P: Publisher, T>(
        _ other: P, _ transform: @escaping @Sendable (Output, P.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> where P.Failure == Failure {
        combineLatest(other).map { transform($0.0, $0.1) }
    }
}

extension Publishers {
    /// A publisher of the most recent values of two publishers.
    public struct CombineLatest<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
        /// The type of the published values.
        public typealias Output = (A.Output, B.Output)
        /// The type of error that the stream may fail with.
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A

        /// The second publisher.
        public let b: B

        /// Creates the publisher that `combineLatest(_:)` returns.
        @inlinable public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            LatestConduit<Output, Failure>.connect(to: subscriber) { conduit in
                let (a, b) = (conduit.side(a), conduit.side(b))
                return { (a.value, b.value) }
            }
        }
    }
}

extension Publishers.CombineLatest: Sendable where A: Sendable, B: Sendable {}

extension Publishers.CombineLatest: Equatable where A: Equatable, B: Equatable {}
