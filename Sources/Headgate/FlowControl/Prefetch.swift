import HeadgateEngine

extension Publisher {
    /// Requests values in batches, ahead of demand.
    ///
    /// ```
    /// self      1-2-3-4--------5-6|
    /// prefetch  4
    /// requests  --------1--1-1-1-1-1
    ///           --------1--2-3-4-5-6|
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let ledger = DemandLedger()
    /// let subscriber = TestSubscriber<Int, Never>(.oneByOne)
    /// (1...6).publisher
    ///     .recordingDemand(into: ledger, as: "source")
    ///     .prefetch(4, low: 2)
    ///     .subscribe(subscriber)
    /// print(subscriber.values, ledger.requested(on: "source"))
    /// // [1, 2, 3, 4, 5, 6] max(10)
    /// ```
    ///
    /// Put it after a stage that is expensive to request from, such as a hop to another thread, a socket or a database
    /// cursor.
    ///
    /// - **Demand**: requests `high` values from upstream on subscription, before downstream requests any, and `high` -
    ///   `low` more each time only `low` of them are still outstanding or buffered: one request per batch.
    /// - **Completion**: delivered after the buffered values, even a failure.
    /// - **Threads**: a value is delivered on the thread on which upstream delivers it, or on that of the request that
    ///   it has waited for. More is requested from upstream on the thread whose delivery has made room.
    /// - **Complexity**: constant time per value; memory for `high` values.
    ///
    /// - Parameters:
    ///   - high: How many values may be outstanding or buffered: at least one; traps otherwise.
    ///   - low: How many of them are left when more are requested: from zero to less than `high`; traps otherwise. The
    ///     default is a quarter of `high`.
    @inlinable public func prefetch(_ high: Int, low: Int? = nil) -> Publishers.Prefetch<Self> {
        Publishers.Prefetch(upstream: self, high: high, low: low ?? high / 4)
    }

    /// Delivers values on a scheduler, in order, and requests them in batches ahead of demand.
    ///
    /// ```
    /// self         1-2-3----|
    /// receive(on:) next turn of the scheduler
    ///              -1-2-3----|
    /// ```
    ///
    /// ```swift
    /// import Dispatch
    /// import Headgate
    ///
    /// let queue = DispatchQueue(label: "work")
    /// for await number in (1...3).publisher.receive(on: queue, prefetch: 16).values {
    ///     print(number)
    /// }
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// - **Demand**: requests `prefetch` values from upstream on subscription, and three quarters of that number again
    ///   each time as many have been delivered. So at most `prefetch` values wait for the scheduler, and one request
    ///   crosses threads for many values.
    /// - **Completion**: delivered after the values, on the scheduler.
    /// - **Threads**: values and the completion are delivered on the scheduler, where more is requested from upstream;
    ///   the subscription on the thread on which upstream delivers it. `cancel()` reaches upstream on the calling
    ///   thread.
    /// - **Complexity**: at most one job per value, fewer when values arrive faster than the scheduler runs jobs;
    ///   memory for `prefetch` values.
    ///
    /// - Parameters:
    ///   - scheduler: Where values and the completion are delivered.
    ///   - options: Options for every job of the scheduler.
    ///   - prefetch: How many values may be outstanding or buffered: at least one; traps otherwise.
    @preconcurrency @inlinable public func receive<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil, prefetch: Int
    ) -> Publishers.ReceiveOnPrefetching<Self, S> where Output: Sendable {
        Publishers.ReceiveOnPrefetching(upstream: self, scheduler: scheduler, options: options, prefetch: prefetch)
    }
}

extension Publishers {
    /// A publisher that requests upstream's values in batches.
    public struct Prefetch<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// How many values may be outstanding or buffered.
        public let high: Int

        /// How many of them are left when more are requested.
        public let low: Int

        /// Creates the publisher that `prefetch(_:low:)` returns.
        @inlinable public init(upstream: Upstream, high: Int, low: Int) {
            requireLimit(high, "prefetch(_:)")
            require(
                low >= 0 && low < high, rule: "The low mark of prefetch must be at least zero and below the high mark.",
                found: "prefetch(\(high), low: \(low))", remedy: "Use a number from zero to less than \(high).")
            self.upstream = upstream
            self.high = high
            self.low = low
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            // Values that upstream sends without demand are buffered, too.
            BufferConduit<Output, Failure, ImmediateScheduler>(
                name: "Prefetch", size: .max, requesting: .max(high), step: .max(high - low), whenFull: .drop,
                subscriber
            )
            .connect(upstream, to: subscriber)
        }
    }

    /// A publisher that delivers upstream's values on a scheduler, and requests them in batches.
    public struct ReceiveOnPrefetching<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Where values are delivered.
        public let scheduler: Context

        /// Options for every job of the scheduler.
        public let options: Context.SchedulerOptions?

        /// How many values may be outstanding or buffered.
        public let prefetch: Int

        /// Creates the publisher that `receive(on:options:prefetch:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?, prefetch: Int
        ) where Upstream.Output: Sendable {
            requireLimit(prefetch, "receive(on:prefetch:)")
            self.upstream = upstream
            self.scheduler = scheduler
            self.options = options
            self.prefetch = prefetch
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(
                subscriber: ReceiveOnConduit(on: scheduler, options: options, prefetch: prefetch, to: subscriber))
        }
    }
}

extension Publishers.Prefetch: Sendable where Upstream: Sendable {}

extension Publishers.ReceiveOnPrefetching: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}

extension Publishers.Prefetch: Equatable where Upstream: Equatable {}
