import HeadgateEngine

extension Publisher {
    /// Transforms each value into a publisher, runs several of these concurrently, and publishes their values in the
    /// order of upstream.
    ///
    /// An upstream that can't wait, such as a subject, drops what it publishes while `maxConcurrent` inner publishers
    /// are active or waiting for their turn: put `buffer` before this operator to keep it.
    ///
    /// ```
    /// self               1--2-------------------|
    /// flatMapSequential  -----a--b--|
    ///                       a--b--|
    ///                    -----1a-1b-(2a2b)------|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [3, 2].publisher
    ///     .flatMapSequential(maxConcurrent: 2) { (1...$0).publisher }
    ///     .collect()
    ///     .sink { print($0) }
    /// // [1, 2, 3, 1, 2]
    /// ```
    ///
    /// Publishes the same values as `concatMap`, but sooner: publishers work while others are being delivered.
    ///
    /// - **Demand**: with the first demand, requests `maxConcurrent` values from upstream, and one more each time the
    ///   oldest inner publisher has finished and been delivered and there is demand. Requests `prefetch` values from
    ///   each inner publisher, and one more per delivered value.
    /// - **Completion**: finishes when upstream and all inner publishers have finished. A failure waits for its place:
    ///   the values ahead of it are delivered first, and then the other publishers are cancelled.
    /// - **Threads**: the closure is called on the thread on which upstream delivers. A value of the publisher whose
    ///   turn it is is delivered on that publisher's thread; one that has waited, on the thread of the request, or of
    ///   the publisher whose completion made it due. One thread delivers at a time: another that sends waits for its
    ///   turn, or leaves its value to the first if that takes long (rule 3.6 of the contract), and one that requests
    ///   leaves what waits to it.
    /// - **Complexity**: constant time per value and publisher; memory for at most `maxConcurrent` × `prefetch` values.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of active publishers: at least one; traps otherwise.
    ///   - prefetch: How many values of each publisher may be buffered: at least one; traps otherwise.
    ///   - transform: Creates a publisher from each value. Called on the thread that delivers the value.
    @preconcurrency @inlinable public func flatMapSequential<P: Publisher>(
        maxConcurrent: Int, prefetch: Int = 16, _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMapSequential<P, Self> where P.Failure == Failure {
        Publishers.FlatMapSequential(
            upstream: self, maxConcurrent: maxConcurrent, prefetch: prefetch, transform: transform)
    }

    /// Transforms each value into a publisher that never fails, runs several of these concurrently, and publishes their
    /// values in the order of upstream.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `flatMapSequential(maxConcurrent:prefetch:_:)` with equal failures.
    @preconcurrency @inlinable public func flatMapSequential<P: Publisher>(
        maxConcurrent: Int, prefetch: Int = 16, _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMapSequential<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
        flatMapSequential(maxConcurrent: maxConcurrent, prefetch: prefetch) {
            transform($0).setFailureType(to: Failure.self)
        }
    }
}

extension Publisher where Failure == Never {
    /// Transforms each value of a publisher that never fails into one that may fail, runs several of these
    /// concurrently, and publishes their values in the order of upstream.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `flatMapSequential(maxConcurrent:prefetch:_:)` with equal failures.
    @preconcurrency @inlinable public func flatMapSequential<P: Publisher>(
        maxConcurrent: Int, prefetch: Int = 16, _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMapSequential<P, Publishers.SetFailureType<Self, P.Failure>> {
        setFailureType(to: P.Failure.self).flatMapSequential(
            maxConcurrent: maxConcurrent, prefetch: prefetch, transform)
    }

    /// Transforms each value into a publisher, runs several of these concurrently, and publishes their values in the
    /// order of upstream; neither can fail.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `flatMapSequential(maxConcurrent:prefetch:_:)` with equal failures.
    @preconcurrency @inlinable public func flatMapSequential<P: Publisher>(
        maxConcurrent: Int, prefetch: Int = 16, _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMapSequential<P, Self> where P.Failure == Never {
        Publishers.FlatMapSequential(
            upstream: self, maxConcurrent: maxConcurrent, prefetch: prefetch, transform: transform)
    }
}

extension Publishers {
    /// A publisher that runs the publishers made from upstream's values concurrently, and publishes in upstream's
    /// order.
    public struct FlatMapSequential<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        /// The type of the published values.
        public typealias Output = NewPublisher.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The maximum number of active publishers.
        public let maxConcurrent: Int

        /// How many values of each publisher may be buffered.
        public let prefetch: Int

        /// Creates a publisher from each value.
        public let transform: @Sendable (Upstream.Output) -> NewPublisher

        /// Creates the publisher that `flatMapSequential(maxConcurrent:prefetch:_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, maxConcurrent: Int, prefetch: Int,
            transform: @escaping @Sendable (Upstream.Output) -> NewPublisher
        ) {
            requireLimit(maxConcurrent, "flatMapSequential(maxConcurrent:)")
            requireLimit(prefetch, "flatMapSequential(prefetch:)")
            self.upstream = upstream
            self.maxConcurrent = maxConcurrent
            self.prefetch = prefetch
            self.transform = transform
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            SequentialConduit.connect(
                upstream, limit: maxConcurrent, prefetch: prefetch, to: subscriber, transform: transform)
        }
    }
}

extension Publishers.FlatMapSequential: Sendable where Upstream: Sendable {}
