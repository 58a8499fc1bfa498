import HeadgateEngine

extension Publishers {
    /// When a failure ends a merged stream if values are waiting for demand.
    @frozen public enum FailureTiming: Sendable {
        /// At once; the waiting values are dropped. Combine's `flatMap` does the same.
        case atOnce
        /// After the values that arrived before the failure have been requested and delivered.
        case afterValues
    }
}

extension Publisher {
    /// Transforms each value into a publisher and merges these, with a choice of when a failure is delivered.
    ///
    /// ```
    /// self      1--2--x
    /// flatMap   a--b--|
    ///              c--d--|
    /// requests  ^2--------^1
    /// failures  a--b------(cx)     .afterValues
    /// ```
    ///
    /// ```swift
    /// let orders = PassthroughSubject<Int, any Error>()
    /// let cancellable = orders
    ///     .flatMap(failures: .afterValues) { order in
    ///         ["order \(order)", "receipt \(order)"].publisher.setFailureType(to: (any Error).self)
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// orders.send(1)
    /// // order 1
    /// // receipt 1
    /// ```
    ///
    /// - **Demand**: as for `flatMap(maxPublishers:_:)`.
    /// - **Completion**: finishes when upstream and all inner publishers have finished. When one of them fails, the
    ///   others are cancelled at once; the failure is delivered at once, or after the values that wait for demand.
    /// - **Threads**: as for `flatMap(maxPublishers:_:)`. A failure that waits is delivered on the thread of the
    ///   request for the last value before it.
    ///
    /// - Parameters:
    ///   - maxPublishers: The maximum number of active publishers.
    ///   - failures: When a failure ends the stream if values are waiting for demand.
    ///   - transform: Creates a publisher from each value. Called on the thread that delivers the value.
    @preconcurrency @inlinable public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, failures: Publishers.FailureTiming,
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMapFailures<P, Self> where P.Failure == Failure {
        Publishers.FlatMapFailures(
            upstream: self, maxPublishers: maxPublishers, failures: failures, transform: transform)
    }
}

extension Publishers {
    /// A publisher that merges the publishers made from upstream's values, with a choice of when a failure is
    /// delivered.
    public struct FlatMapFailures<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        /// The type of the published values.
        public typealias Output = NewPublisher.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The maximum number of active publishers.
        public let maxPublishers: Subscribers.Demand

        /// When a failure ends the stream if values are waiting for demand.
        public let failures: FailureTiming

        /// Creates a publisher from each value.
        public let transform: @Sendable (Upstream.Output) -> NewPublisher

        /// Creates the publisher that `flatMap(maxPublishers:failures:_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, maxPublishers: Subscribers.Demand, failures: FailureTiming,
            transform: @escaping @Sendable (Upstream.Output) -> NewPublisher
        ) {
            self.upstream = upstream
            self.maxPublishers = maxPublishers
            self.failures = failures
            self.transform = transform
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let (conduit, outer) = MergeConduit.flattening(
                limit: maxPublishers, failsAfterValues: failures == .afterValues, subscriber)
            conduit.connect(upstream, as: outer, to: subscriber) { [transform] input, conduit, outer in
                conduit.attach(transform(input), from: outer)
            }
        }
    }
}

extension Publishers.FlatMapFailures: Sendable where Upstream: Sendable {}
