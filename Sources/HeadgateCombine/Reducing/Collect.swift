import HeadgateEngine

extension Publisher {
    /// Collects all values into one array, published when upstream finishes.
    ///
    /// ```
    /// self      1---2---3---|
    /// collect
    ///           ------------([1, 2, 3]|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...3).publisher
    ///     .collect()
    ///     .sink { print($0) }
    /// // [1, 2, 3]
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The result waits for demand.
    /// - **Completion**: finishes after the result. A failure is forwarded without a result. Without values, the
    ///   array is empty.
    /// - **Threads**: the array is delivered on the thread on which upstream completes, or on that of the first
    ///   request, whichever comes later.
    /// - **Complexity**: amortised constant time per value. All values are kept until upstream finishes.
    @inlinable public func collect() -> Publishers.Collect<Self> {
        Publishers.Collect(upstream: self)
    }
}

extension Publishers {
    /// A publisher of one array of all values of upstream.
    public struct Collect<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = [Upstream.Output]
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Creates the publisher that `collect()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: CollectFold(), to: subscriber)
        }
    }
}

extension Publishers.Collect: Sendable where Upstream: Sendable {}

extension Publishers.Collect: Equatable where Upstream: Equatable {}

/// Keeps every value.
@usableFromInline struct CollectFold<Input, Failure: Error>: Fold {
    @usableFromInline var values: [Input] = []

    @inlinable init() {}

    @inlinable var name: StaticString { "Collect" }

    @inlinable mutating func receive(_ input: Input) -> FoldResult<Failure> {
        values.append(input)
        return .more
    }

    @inlinable mutating func receive(all values: some Sequence<Input>) -> Bool {
        self.values.append(contentsOf: values)
        return true
    }

    @inlinable func result() -> [Input] { values }
}
