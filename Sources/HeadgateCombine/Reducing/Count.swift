import HeadgateEngine

extension Publisher {
    /// Publishes the number of values when upstream finishes.
    ///
    /// ```
    /// self      a---b---c---|
    /// count
    ///           ------------(3|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["a", "b", "c"].publisher
    ///     .count()
    ///     .sink { print($0) }
    /// // 3
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The result waits for demand.
    /// - **Completion**: finishes after the result. A failure is forwarded without a result.
    /// - **Threads**: the result is delivered on the thread on which upstream completes, or on that of the first
    ///   request, whichever comes later.
    /// - **Complexity**: constant time per value.
    @inlinable public func count() -> Publishers.Count<Self> {
        Publishers.Count(upstream: self)
    }
}

extension Publishers {
    /// A publisher of the number of upstream's values.
    public struct Count<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Int
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Creates the publisher that `count()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: CountFold(), to: subscriber)
        }
    }
}

extension Publishers.Count: Sendable where Upstream: Sendable {}

extension Publishers.Count: Equatable where Upstream: Equatable {}

/// Counts the values.
@usableFromInline struct CountFold<Input, Failure: Error>: Fold {
    @usableFromInline var count = 0

    @inlinable init() {}

    @inlinable var name: StaticString { "Count" }

    @inlinable mutating func receive(_ input: Input) -> FoldResult<Failure> {
        count += 1
        return .more
    }

    @inlinable func result() -> Int { count }
}
