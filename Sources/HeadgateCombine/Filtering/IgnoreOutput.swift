import HeadgateEngine

extension Publisher {
    /// Drops all values and forwards only the completion.
    ///
    /// ```
    /// self          1---2---3---|
    /// ignoreOutput
    ///               ------------|
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...3).publisher
    ///     .ignoreOutput()
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { _ in })
    /// // finished
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream at once, since the completion comes after all of them.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: the completion is delivered on the thread on which upstream completes.
    /// - **Complexity**: constant time per value.
    @inlinable public func ignoreOutput() -> Publishers.IgnoreOutput<Self> {
        Publishers.IgnoreOutput(upstream: self)
    }
}

extension Publishers {
    /// A publisher of the completion of upstream, without its values.
    public struct IgnoreOutput<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Never
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Creates the publisher that `ignoreOutput()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(subscriber: DiscardingConduit<Upstream.Output, Output, Failure>(subscriber))
        }
    }
}

extension Publishers.IgnoreOutput: Sendable where Upstream: Sendable {}

extension Publishers.IgnoreOutput: Equatable where Upstream: Equatable {}
