import HeadgateEngine

extension Publisher {
    /// Transforms each value into a publisher, and merges the values of these inner publishers.
    ///
    /// With a limit, an upstream that can't wait, such as a subject, drops what it publishes while `maxPublishers`
    /// inner publishers are active: put `buffer` before this operator to keep it.
    ///
    /// ```
    /// self      1--------2---------|
    /// flatMap   a--b--c--|
    ///                    a--b--c--|
    ///           1a-1b-1c-2a-2b-2c--|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2].publisher
    ///     .flatMap { ($0 * 10...$0 * 10 + 2).publisher }
    ///     .sink { print($0) }
    /// // 10
    /// // 11
    /// // 12
    /// // 20
    /// // 21
    /// // 22
    /// ```
    ///
    /// - **Demand**: with the first demand, requests `maxPublishers` values from upstream, and one more each time an
    ///   inner publisher has finished and all of its values have been delivered. While demand is unlimited, unlimited
    ///   values are requested from each inner publisher. Otherwise each is requested one value at a time, at most one
    ///   value of each waits for demand, and they take turns. An upstream that waits for demand, such as a sequence, is
    ///   then requested one value at a time, too. Without demand, nothing is requested from any of them.
    /// - **Completion**: finishes once upstream and all inner publishers have finished. Fails at once when any of them
    ///   fails, cancels the others, and drops the values that wait.
    /// - **Threads**: the closure is called, and the inner publisher subscribed to, on the thread on which upstream
    ///   delivers, even while another thread delivers a value. A value is delivered on the thread of the inner
    ///   publisher that sends it, or of the request that it has waited for. One thread delivers at a time: another that
    ///   sends waits for its turn, or leaves its value to the first if that takes long (rule 3.6 of the contract), and
    ///   one that requests leaves what waits to it. `cancel()` reaches the publishers on the calling thread, or on the
    ///   one that is delivering.
    /// - **Complexity**: constant time per value and per inner publisher.
    ///
    /// - Parameters:
    ///   - maxPublishers: The maximum number of inner publishers that are active at a time.
    ///   - transform: Creates an inner publisher from a value. Called on the thread that delivers the value.
    @preconcurrency @inlinable public func flatMap<T, P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where T == P.Output, Failure == P.Failure {
        Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }

    /// Transforms each value into a publisher that never fails, and merges the values of these inner publishers.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `flatMap(maxPublishers:_:)` with equal
    /// failures.
    @preconcurrency @inlinable @_disfavoredOverload public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
        flatMap(maxPublishers: maxPublishers) { transform($0).setFailureType(to: Failure.self) }
    }
}

extension Publisher where Failure == Never {
    /// Transforms each value of a publisher that never fails into one that may, and merges their values.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `flatMap(maxPublishers:_:)` with equal
    /// failures.
    @preconcurrency @inlinable @_disfavoredOverload public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
        setFailureType(to: P.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
    }

    /// Transforms each value into a publisher and merges the values of these, where nothing can fail.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `flatMap(maxPublishers:_:)` with equal
    /// failures.
    @preconcurrency @inlinable @_disfavoredOverload public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
        Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }
}

extension Publishers {
    /// A publisher that merges the values of the inner publishers made from upstream's values.
    public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        /// The type of the published values.
        public typealias Output = NewPublisher.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The maximum number of inner publishers that are active at a time.
        public let maxPublishers: Subscribers.Demand

        /// The closure that creates an inner publisher from each value.
        public let transform: @Sendable (Upstream.Output) -> NewPublisher

        /// Creates the publisher that `flatMap(maxPublishers:_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, maxPublishers: Subscribers.Demand,
            transform: @escaping @Sendable (Upstream.Output) -> NewPublisher
        ) {
            self.upstream = upstream
            self.maxPublishers = maxPublishers
            self.transform = transform
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            if maxPublishers == .none { warnOfLimitOfZero("flatMap(maxPublishers: .none)") }
            let (conduit, outer) = MergeConduit.flattening(limit: maxPublishers, failsAfterValues: false, subscriber)
            conduit.connect(upstream, as: outer, to: subscriber) { [transform] input, conduit, outer in
                conduit.attach(transform(input), from: outer)
            }
        }
    }
}

extension Publishers.FlatMap: Sendable where Upstream: Sendable {}
