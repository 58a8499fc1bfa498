import HeadgateEngine

extension Publisher {
    /// Pairs the first values of both publishers, then the second values, and so on.
    ///
    /// ```
    /// self      1-----2--3--|
    /// other     --a-b-----c---|
    /// zip       --(1,a)-(2,b)-(3,c)-|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2, 3].publisher.zip("ab".publisher)
    ///     .sink { print($0, $1) }
    /// // 1 a
    /// // 2 b
    /// ```
    ///
    /// - **Demand**: forwarded to both sides. A side that waits for demand anyway, such as a sequence, is requested one
    ///   value at a time, so an endless sequence is read no further than the other side reaches. Values that arrive
    ///   before their counterpart are kept.
    /// - **Completion**: finishes as soon as no further pair is possible, and cancels the other side. Fails at once
    ///   when either side fails, and drops the values kept.
    /// - **Threads**: a pair is delivered on the thread of the publisher whose value completes it, or of the request
    ///   that it has waited for. A side that waits for demand is read on the thread that requests or delivers pairs.
    ///   One thread delivers at a time: another that sends waits for its turn, or leaves its value to the first if that
    ///   takes long (rule 3.6 of the contract), and one that requests leaves what waits to it.
    /// - **Complexity**: constant time per value. Memory for the values kept.
    ///
    /// - Parameter other: The publisher of the pairs' second values.
    @inlinable public func zip<P: Publisher>(_ other: P) -> Publishers.Zip<Self, P> where P.Failure == Failure {
        Publishers.Zip(self, other)
    }

    /// Combines the first values of both publishers with a closure, then the second values, and so on.
    ///
    /// ```swift
    /// let cancellable = [1, 2, 3].publisher.zip([10, 20, 30].publisher) { $0 + $1 }
    ///     .sink { print($0) }
    /// // 11
    /// // 22
    /// // 33
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `zip(_:)`.
    ///
    /// - Parameters:
    ///   - other: The publisher of the closure's second argument.
    ///   - transform: Combines the two values of a pair, on the thread that delivers the result.
    @preconcurrency @inlinable public func zip<P: Publisher, T>(
        _ other: P, _ transform: @escaping @Sendable (Output, P.Output) -> T
    ) -> Publishers.Map<Publishers.Zip<Self, P>, T> where P.Failure == Failure {
        zip(other).map { transform($0.0, $0.1) }
    }
}

extension Publishers {
    /// A publisher of pairs of the values of two publishers.
    public struct Zip<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
        /// The type of the published values.
        public typealias Output = (A.Output, B.Output)
        /// The type of error that the stream may fail with.
        public typealias Failure = A.Failure

        /// The first publisher.
        public let a: A

        /// The second publisher.
        public let b: B

        /// Creates the publisher that `zip(_:)` returns.
        @inlinable public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            ZipConduit<Output, Failure>.connect(to: subscriber) { conduit in
                let (a, b) = (conduit.side(a), conduit.side(b))
                return { (a.next(), b.next()) }
            }
        }
    }
}

extension Publishers.Zip: Sendable where A: Sendable, B: Sendable {}

extension Publishers.Zip: Equatable where A: Equatable, B: Equatable {}
