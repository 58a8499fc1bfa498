import HeadgateEngine

extension Publisher {
    /// Delays values and the completion by a given time, on a scheduler.
    ///
    /// ```
    /// self      1-2---3-|
    /// delay     --
    ///           --1-2---3-|
    /// ```
    ///
    /// ```swift
    /// import Dispatch
    /// import HeadgateCombine
    ///
    /// let queue = DispatchQueue(label: "work")
    /// let start = queue.now
    /// for await word in Just("late").delay(for: .milliseconds(50), scheduler: queue).values {
    ///     print(word, start.distance(to: queue.now) >= .milliseconds(50))
    /// }
    /// // late true
    /// ```
    ///
    /// Values keep their order and the intervals between them, on any scheduler. There is one timer at a time, however
    /// many values wait.
    ///
    /// - **Demand**: forwarded unchanged, at once. The number of waiting values never exceeds the requested number.
    /// - **Completion**: delayed like a value, and so is a failure.
    /// - **Threads**: values and the completion are delivered on the scheduler; the subscription on the thread on which
    ///   upstream delivers it. Requests and `cancel()` reach upstream on the calling thread, and demand returned for a
    ///   value on the scheduler.
    /// - **Complexity**: one reading of the clock per value, and one timer for all values that are due together.
    ///
    /// - Parameters:
    ///   - interval: The delay.
    ///   - tolerance: The acceptable additional delay; by default the scheduler's minimum.
    ///   - scheduler: Provides the time and delivers the values.
    ///   - options: Passed to the scheduler with every job.
    @preconcurrency @inlinable public func delay<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
        options: S.SchedulerOptions? = nil
    ) -> Publishers.Delay<Self, S> where Output: Sendable {
        Publishers.Delay(
            upstream: self, interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance,
            scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// A publisher that delays the values and the completion of upstream.
    public struct Delay<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The delay.
        public let interval: Context.SchedulerTimeType.Stride

        /// The acceptable additional delay.
        public let tolerance: Context.SchedulerTimeType.Stride

        /// The scheduler that provides the time and delivers values.
        public let scheduler: Context

        /// The options passed to the scheduler with every job.
        public let options: Context.SchedulerOptions?

        /// Creates the publisher that `delay(for:tolerance:scheduler:options:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride,
            tolerance: Context.SchedulerTimeType.Stride, scheduler: Context, options: Context.SchedulerOptions? = nil
        ) where Upstream.Output: Sendable {
            self.upstream = upstream
            self.interval = interval
            self.tolerance = tolerance
            self.scheduler = scheduler
            self.options = options
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(
                subscriber: ScheduledConduit(
                    name: "Delay", EventQueue(), .afterArrival(interval.bounded), requesting: .max(1), on: scheduler,
                    tolerance: tolerance, options: options, to: subscriber))
        }
    }
}

extension Publishers.Delay: Sendable
where
    Upstream: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context: Sendable,
    Context.SchedulerOptions: Sendable
{}
