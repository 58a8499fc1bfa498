import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Lets so many values pass in a length of time, and holds demand back for the others.
    ///
    /// ```
    /// self       (12345...)
    /// rateLimit  2 in 10
    ///            (12)-----3----4----5---
    /// ```
    ///
    /// ```swift
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
    /// It is a token bucket: full at first, filled at a constant rate up to `burst`. In any length of time, at most `burst`
    /// tokens and what has come in meanwhile are spent. A value that costs more than there is leaves a debt, and the next
    /// one waits until it is paid.
    ///
    /// Nothing is dropped here; an upstream that sends regardless of demand, such as a subject, drops by itself what it can't
    /// deliver. Put a `buffer` or `conflate` in between.
    ///
    /// - **Demand**: passed on as far as there are tokens, and later the rest, on the scheduler. One value at a time where
    ///   values have costs.
    /// - **Completion**: passed on at once.
    /// - **Complexity**: constant time per value; at most one job of the scheduler at a time.
    ///
    /// - Parameters:
    ///   - count: How many tokens come in: at least one, or it is a programmer's error and traps.
    ///   - interval: The length of time in which they do. Zero, or less, is no limit.
    ///   - burst: How many tokens the bucket holds: at least one, or it traps. Where it is missing, `count`.
    ///   - cost: How many tokens a value takes, one where it is missing; a negative number traps.
    ///   - scheduler: What tells the time.
    @inlinable public func rateLimit<S: Scheduler>(
        _ count: Int, per interval: S.SchedulerTimeType.Stride, burst: Int? = nil,
        cost: StreamClosure<Output, Int>? = nil,
        scheduler: S
    ) -> Publishers.RateLimit<Self, S> where Output: StrictlySendable {
        Publishers.RateLimit(
            upstream: self, count: count, interval: interval, burst: burst ?? count, cost: cost, scheduler: scheduler)
    }

    /// Lets at least so much time pass between one value and the next, by holding demand back.
    ///
    /// ```
    /// self      (1234)---------------|
    /// interval  5
    ///           1----2----3----4-----|
    /// ```
    ///
    /// ```swift
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
    /// It is `rateLimit(1, per: interval, scheduler: scheduler)`.
    ///
    /// - **Demand**: passed on one value at a time, the next when the interval has passed since the last value.
    /// - **Completion**: passed on at once.
    /// - **Complexity**: constant time per value; at most one job of the scheduler at a time.
    ///
    /// - Parameters:
    ///   - interval: The time from one value to the next, at the least. Zero, or less, is none.
    ///   - scheduler: What tells the time.
    @inlinable public func interval<S: Scheduler>(
        _ interval: S.SchedulerTimeType.Stride, scheduler: S
    ) -> Publishers.RateLimit<Self, S> where Output: StrictlySendable {
        rateLimit(1, per: interval, scheduler: scheduler)
    }
}

extension Publishers {
    /// A publisher that lets so many values of another publisher pass in a length of time.
    public struct RateLimit<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are held back.
        public let upstream: Upstream

        /// How many tokens come in during an interval.
        public let count: Int

        /// The length of time in which they do.
        public let interval: Context.SchedulerTimeType.Stride

        /// How many tokens may be saved.
        public let burst: Int

        /// How many tokens a value takes.
        public let cost: StreamClosure<Output, Int>?

        /// What tells the time.
        public let scheduler: Context

        /// Makes the publisher that `rateLimit(_:per:burst:cost:scheduler:)` returns.
        @inlinable public init(
            upstream: Upstream, count: Int, interval: Context.SchedulerTimeType.Stride, burst: Int,
            cost: StreamClosure<Output, Int>?, scheduler: Context
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

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            RateConduit<Output, Failure, Context>(
                name: "RateLimit", count: count, per: interval, burst: burst, cost: cost, on: scheduler,
                AnySubscriber(subscriber)
            )
            .connect(upstream, to: subscriber)
        }
    }
}

extension Publishers.RateLimit: StrictlySendable
where Upstream: StrictlySendable, Context.SchedulerTimeType.Stride: StrictlySendable, Context: StrictlySendable {}
