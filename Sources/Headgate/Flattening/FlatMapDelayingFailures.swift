import HeadgateEngine

extension Publisher {
    /// Transforms each value into a publisher, merges the values of these inner publishers, and reports failures after
    /// the others have completed.
    ///
    /// With a limit, an upstream that can't wait, such as a subject, drops what it publishes while `maxPublishers`
    /// inner publishers are active: put `buffer` before this operator to keep it.
    ///
    /// ```
    /// self      1-----2-----|
    /// flatMap   a--x
    ///                 a--b--|
    ///           1a----2a-2b-x
    /// ```
    ///
    /// ```swift
    /// struct Unknown: Error { let id: Int }
    /// let cancellable = (1...3).publisher.setFailureType(to: Unknown.self)
    ///     .flatMapDelayingFailures { id in
    ///         id == 2 ? Result<String, Unknown>.failure(Unknown(id: id)).publisher : .init("found \(id)")
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // found 1
    /// // found 3
    /// // failure(Unknown(id: 2))
    /// ```
    ///
    /// - **Demand**: that of `flatMap(maxPublishers:_:)`.
    /// - **Completion**: finishes once upstream and all inner publishers have finished. If some of them have failed,
    ///   fails with the collected failures once all have completed. If the subscriber cancels before that, ``Undeliverables``
    ///   receives the failures.
    /// - **Threads**: those of `flatMap(maxPublishers:_:)`. The completion is delivered on the thread on which the last
    ///   publisher completes.
    /// - **Complexity**: constant time per value and per inner publisher.
    ///
    /// - Parameters:
    ///   - maxPublishers: The maximum number of inner publishers that are active at a time.
    ///   - transform: Creates an inner publisher from a value. Called on the thread that delivers the value.
    @inlinable public func flatMapDelayingFailures<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMapDelayingFailures<P, Self> where P.Failure == Failure {
        Publishers.FlatMapDelayingFailures(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }
}

extension Publishers {
    /// A publisher that merges the values of the inner publishers made from upstream's values, and reports failures after
    /// the others have completed.
    public struct FlatMapDelayingFailures<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        /// The type of the published values.
        public typealias Output = NewPublisher.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = CollectedFailures<Upstream.Failure>

        /// The upstream publisher.
        public let upstream: Upstream

        /// The maximum number of inner publishers that are active at a time.
        public let maxPublishers: Subscribers.Demand

        /// The closure that creates an inner publisher from each value.
        public let transform: @Sendable (Upstream.Output) -> NewPublisher

        /// Creates the publisher that `flatMapDelayingFailures(maxPublishers:_:)` returns.
        @inlinable public init(
            upstream: Upstream, maxPublishers: Subscribers.Demand,
            transform: @escaping @Sendable (Upstream.Output) -> NewPublisher
        ) {
            self.upstream = upstream
            self.maxPublishers = maxPublishers
            self.transform = transform
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let failures = FailureList<Upstream.Failure>()
            let tail = DelayingTail<Output, Failure, Failure> { _ in failures.takeCompletion() }
            Publishers.FlatMap(upstream: FailureNoting(upstream, failures), maxPublishers: maxPublishers) {
                [transform] in FailureNoting(transform($0), failures)
            }
            .receive(subscriber: TailConduit(tail, subscriber))
        }
    }
}

extension Publishers.FlatMapDelayingFailures: Sendable where Upstream: Sendable {}
