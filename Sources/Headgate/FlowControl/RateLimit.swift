import HeadgateEngine

extension Publisher {
    /// Limits the number of values per interval by holding demand back.
    ///
    /// ```
    /// self       (12345)
    /// rateLimit  2 in 10
    ///            (12)-3----4----5---
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let scheduler = TestScheduler()
    /// let cancellable = (1...5).publisher
    ///     .rateLimit(2, per: .seconds(1), scheduler: scheduler)
    ///     .sink { print("\(scheduler.now): \($0)") }
    /// scheduler.advance(by: .seconds(1))
    /// // 0s: 1
    /// // 0s: 2
    /// // 0.5s: 3
    /// // 1s: 4
    /// ```
    ///
    /// The limit is a token bucket: it starts full, and is refilled at a constant rate up to `burst`. In any period, at
    /// most `burst` tokens plus those refilled in that period are spent. A value that costs more tokens than available
    /// leaves a debt, and the next one waits until that is paid.
    ///
    /// Nothing is dropped here, but an upstream that ignores demand, such as a subject, drops what it can't deliver.
    /// Put a `buffer` or `conflate` in between.
    ///
    /// - **Demand**: forwarded as far as there are tokens; the rest follows on the scheduler. One value at a time when
    ///   values have costs.
    /// - **Completion**: forwarded at once.
    /// - **Threads**: upstream's: a value, and the completion, are delivered on the thread on which upstream delivers
    ///   them, and its cost is computed there. What the tokens allow is requested on the requesting or the delivering
    ///   thread, and on the scheduler after a wait, so an upstream that answers at once delivers there.
    /// - **Complexity**: constant time per value; the scheduler has at most one job at a time.
    ///
    /// - Parameters:
    ///   - count: How many tokens are added per interval: at least one; traps otherwise.
    ///   - interval: The time in which they are added. Zero or less means no limit.
    ///   - burst: How many tokens the bucket holds: at least one; traps otherwise. The default is `count`.
    ///   - cost: How many tokens a value costs; one by default. A negative cost traps.
    ///   - scheduler: The scheduler that measures time.
    @preconcurrency @inlinable public func rateLimit<S: Scheduler>(
        _ count: Int, per interval: S.SchedulerTimeType.Stride, burst: Int? = nil,
        cost: (@Sendable (Output) -> Int)? = nil,
        scheduler: S
    ) -> Publishers.RateLimit<Self, S> where Output: Sendable {
        Publishers.RateLimit(
            upstream: self, count: count, interval: interval, burst: burst ?? count, cost: cost, scheduler: scheduler)
    }

    /// Ensures a minimum interval between values by holding demand back.
    ///
    /// ```
    /// self      (1234)---------------|
    /// interval  5
    ///           1----2----3----4-----|
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let scheduler = TestScheduler()
    /// let cancellable = (1...3).publisher
    ///     .interval(.seconds(2), scheduler: scheduler)
    ///     .sink { print("\(scheduler.now): \($0)") }
    /// scheduler.advance(by: .seconds(4))
    /// // 0s: 1
    /// // 2s: 2
    /// // 4s: 3
    /// ```
    ///
    /// Equivalent to `rateLimit(1, per: interval, scheduler: scheduler)`.
    ///
    /// - **Demand**: forwarded one value at a time, the next one after the interval has elapsed since the last value.
    /// - **Completion**: forwarded at once.
    /// - **Threads**: upstream's. The first value is requested on the requesting thread; after an interval, the next
    ///   one on the scheduler, so an upstream that answers at once delivers there.
    /// - **Complexity**: constant time per value; the scheduler has at most one job at a time.
    ///
    /// - Parameters:
    ///   - interval: The minimum time between two values. Zero or less means no limit.
    ///   - scheduler: The scheduler that measures time.
    @preconcurrency @inlinable public func interval<S: Scheduler>(
        _ interval: S.SchedulerTimeType.Stride, scheduler: S
    ) -> Publishers.RateLimit<Self, S> where Output: Sendable {
        rateLimit(1, per: interval, scheduler: scheduler)
    }
}

extension Publishers {
    /// A publisher that limits the number of upstream's values per interval.
    public struct RateLimit<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// How many tokens are added per interval.
        public let count: Int

        /// The time in which they are added.
        public let interval: Context.SchedulerTimeType.Stride

        /// How many tokens the bucket holds.
        public let burst: Int

        /// How many tokens a value costs.
        public let cost: (@Sendable (Output) -> Int)?

        /// The scheduler that measures time.
        public let scheduler: Context

        /// Creates the publisher that `rateLimit(_:per:burst:cost:scheduler:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, count: Int, interval: Context.SchedulerTimeType.Stride, burst: Int,
            cost: (@Sendable (Output) -> Int)?, scheduler: Context
        ) {
            requireLimit(count, "rateLimit(_:)")
            requireLimit(burst, "rateLimit(burst:)")
            self.upstream = upstream
            self.count = count
            self.interval = interval
            self.burst = burst
            self.cost = cost
            self.scheduler = scheduler
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            RateConduit<Output, Failure, Context>(
                name: "RateLimit", count: count, per: interval, burst: burst, cost: cost, on: scheduler,
                AnySubscriber(subscriber)
            )
            .connect(upstream, to: subscriber)
        }
    }
}

extension Publishers.RateLimit: Sendable
where Upstream: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context: Sendable {}
