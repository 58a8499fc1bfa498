import HeadgateEngine

extension Publisher {
    // Publishers of one type have an overload of their own. With the attribute, the compiler reports that the values of two types differ;
    // without it, it fails to produce a diagnostic.
    /// Interleaves the values of this publisher with those of another, as they arrive.
    ///
    /// ```
    /// self      1-----2--------3--|
    /// other     ---8-----9--|
    /// merge     1--8--2--9-----3--|
    /// ```
    ///
    /// ```swift
    /// let odd = PassthroughSubject<Int, Never>()
    /// let even = PassthroughSubject<Int, Never>()
    /// let cancellable = odd.merge(with: even).sink { print($0) }
    /// odd.send(1)
    /// even.send(2)
    /// odd.send(3)
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// - **Demand**: while demand is unlimited, unlimited values are requested from each publisher. Otherwise each is
    ///   requested one value at a time, at most one value of each waits for demand, and they take turns. Without
    ///   demand, nothing is requested from any of them.
    /// - **Completion**: finishes once all have finished. Fails at once when one fails, cancels the others, and drops
    ///   the values that wait.
    /// - **Threads**: a value is delivered on the thread of the publisher that sends it, or of the request that it has
    ///   waited for. One thread delivers at a time: another that sends waits for its turn, or leaves its value to the
    ///   first if that takes long (rule 3.6 of the contract), and one that requests leaves what waits to it. `cancel()`
    ///   reaches the publishers on the calling thread, or on the one that is delivering.
    /// - **Complexity**: constant time per value.
    @_disfavoredOverload
    @inlinable public func merge<P: Publisher<Output, Failure>>(with other: P) -> Publishers.Merge<Self, P> {
        Publishers.Merge(self, other)
    }
}

extension Publishers {
    /// A publisher that interleaves the values of two publishers.
    public struct Merge<A: Publisher, B: Publisher<A.Output, A.Failure>>: Publisher {
        /// The type of the published values.
        public typealias Output = A.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A

        /// The second publisher.
        public let b: B

        /// Creates the publisher that `merge(with:)` returns.
        @inlinable public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            MergeConduit.connect([a.receive, b.receive], to: subscriber)
        }
    }
}

extension Publishers.Merge: Sendable where A: Sendable, B: Sendable {}

extension Publishers.Merge: Equatable where A: Equatable, B: Equatable {}
