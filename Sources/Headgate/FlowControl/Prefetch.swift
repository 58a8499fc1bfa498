import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Requests values in steps, ahead of the demand for them.
    ///
    /// ```
    /// self      1-2-3-4--------5-6|
    /// prefetch  4
    /// requests  --------1--1-1-1-1-1
    ///           --------1--2-3-4-5-6|
    /// ```
    ///
    /// ```swift
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
    /// Put it after a stage for which a request is expensive, such as a hop to another thread, a socket or a database
    /// cursor.
    ///
    /// - **Demand**: upstream is requested `high` values at once, without being asked, and `high` - `low` more whenever
    ///   only `low` of them are left under way or waiting: one request for each such step.
    /// - **Completion**: waits, a failure too, until the values that wait have been delivered.
    /// - **Complexity**: constant time per value; memory for `high` values.
    ///
    /// - Parameters:
    ///   - high: How many values may be under way or wait: at least one, or it is a programmer's error and traps.
    ///   - low: How many of them are left when more are requested: from zero to less than `high`, or it traps. Where it is
    ///     missing, a quarter of `high`.
    @inlinable public func prefetch(_ high: Int, low: Int? = nil) -> Publishers.Prefetch<Self> {
        Publishers.Prefetch(upstream: self, high: high, low: low ?? high / 4)
    }

    /// Publishes the same on a scheduler, in the same order, and requests values in steps ahead of the demand for them.
    ///
    /// ```swift
    /// let queue = DispatchQueue(label: "work")
    /// for await number in (1...3).publisher.receive(on: queue, prefetch: 16).values {
    ///     print(number)
    /// }
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// - **Demand**: upstream is requested `prefetch` values at once, and three quarters of them again whenever as many
    ///   have been delivered. So at most `prefetch` wait for the scheduler, and crossing it costs one request for many
    ///   values.
    /// - **Completion**: passed on after the values, on the scheduler.
    /// - **Complexity**: one job per value, or fewer if values arrive faster than the scheduler runs jobs; memory for
    ///   `prefetch` values.
    ///
    /// - Parameters:
    ///   - scheduler: Where values and the completion are delivered.
    ///   - options: Passed to the scheduler with every job.
    ///   - prefetch: How many values may be under way or wait: at least one, or it is a programmer's error and traps.
    @inlinable public func receive<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil, prefetch: Int
    ) -> Publishers.ReceiveOnPrefetching<Self, S> where Output: StrictlySendable {
        Publishers.ReceiveOnPrefetching(upstream: self, scheduler: scheduler, options: options, prefetch: prefetch)
    }
}

extension Publishers {
    /// A publisher that requests the values of another publisher in steps.
    public struct Prefetch<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are requested ahead.
        public let upstream: Upstream

        /// How many values may be under way or wait.
        public let high: Int

        /// How many of them are left when more are requested.
        public let low: Int

        /// Makes the publisher that `prefetch(_:low:)` returns.
        @inlinable public init(upstream: Upstream, high: Int, low: Int) {
            requireLimit(high, "prefetch(_:)")
            if low < 0 || low >= high {
                programmerError(
                    rule: "The low tide of prefetch is below the high one, and not negative.",
                    found: "prefetch(\(high), low: \(low))", remedy: "Use a number from zero to less than \(high).")
            }
            self.upstream = upstream
            self.high = high
            self.low = low
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            // What upstream sends unrequested is kept, too.
            BufferConduit<Output, Failure, ImmediateScheduler>(
                name: "Prefetch", size: .max, demand: .ahead(high, step: high - low), whenFull: .dropNewest,
                AnySubscriber(subscriber)
            )
            .connect(upstream, to: subscriber)
        }
    }

    /// A publisher that delivers the values of another publisher on a scheduler, and requests them in steps.
    public struct ReceiveOnPrefetching<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are delivered.
        public let upstream: Upstream

        /// Where they are delivered.
        public let scheduler: Context

        /// What is passed to the scheduler with every job.
        public let options: Context.SchedulerOptions?

        /// How many values may be under way or wait.
        public let prefetch: Int

        /// Makes the publisher that `receive(on:options:prefetch:)` returns.
        @inlinable public init(
            upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?, prefetch: Int
        ) where Upstream.Output: StrictlySendable {
            requireLimit(prefetch, "receive(on:prefetch:)")
            self.upstream = upstream
            self.scheduler = scheduler
            self.options = options
            self.prefetch = prefetch
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(
                subscriber: ScheduledConduit(
                    name: "ReceiveOn", EventQueue<Output, Failure, Context.SchedulerTimeType>(), .atOnce,
                    asking: .ahead(prefetch, step: prefetch - prefetch / 4), on: scheduler, options: options,
                    to: subscriber))
        }
    }
}

extension Publishers.Prefetch: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.ReceiveOnPrefetching: StrictlySendable
where Upstream: StrictlySendable, Context: StrictlySendable, Context.SchedulerOptions: StrictlySendable {}

extension Publishers.Prefetch: Equatable where Upstream: Equatable {}
