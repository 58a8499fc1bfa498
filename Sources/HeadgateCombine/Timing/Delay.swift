import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes everything a while later, on a scheduler.
    ///
    /// ```
    /// self      1-2---3-|
    /// delay     --
    ///           --1-2---3-|
    /// ```
    ///
    /// ```swift
    /// let queue = DispatchQueue(label: "work")
    /// let start = queue.now
    /// for await word in Just("late").delay(for: .milliseconds(50), scheduler: queue).values {
    ///     print(word, start.distance(to: queue.now) >= .milliseconds(50))
    /// }
    /// // late true
    /// ```
    ///
    /// Values keep their order, and the distance between them, whatever the scheduler. There is one timer at a time,
    /// however many values wait.
    ///
    /// - **Demand**: passed on as it is, at once. No more values wait than downstream has asked for.
    /// - **Completion**: as late as a value, a failure too.
    /// - **Complexity**: one look at the clock a value, and one timer for all values that are due together.
    ///
    /// - Parameters:
    ///   - interval: How much later.
    ///   - tolerance: How much later still is acceptable; by default as little as the scheduler can do.
    ///   - scheduler: What tells the time, and where values are delivered.
    ///   - options: Passed to the scheduler with every job.
    @inlinable public func delay<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
        options: S.SchedulerOptions? = nil
    ) -> Publishers.Delay<Self, S> where Output: StrictlySendable {
        Publishers.Delay(
            upstream: self, interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance,
            scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// A publisher that delivers everything that another publisher says a while later.
    public struct Delay<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is delayed.
        public let upstream: Upstream

        /// How much later.
        public let interval: Context.SchedulerTimeType.Stride

        /// How much later still is acceptable.
        public let tolerance: Context.SchedulerTimeType.Stride

        /// What tells the time, and where values are delivered.
        public let scheduler: Context

        /// What is passed to the scheduler with every job.
        public let options: Context.SchedulerOptions?

        /// Makes the publisher that `delay(for:tolerance:scheduler:options:)` returns.
        @inlinable public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride,
            tolerance: Context.SchedulerTimeType.Stride, scheduler: Context, options: Context.SchedulerOptions? = nil
        ) where Upstream.Output: StrictlySendable {
            self.upstream = upstream
            self.interval = interval
            self.tolerance = tolerance
            self.scheduler = scheduler
            self.options = options
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(
                subscriber: ScheduledConduit(
                    name: "Delay", EventQueue<Output, Failure, Context.SchedulerTimeType>(), .afterArrival(interval),
                    asking: .multiple(1), on: scheduler, tolerance: tolerance, options: options, to: subscriber))
        }
    }
}

extension Publishers.Delay: StrictlySendable
where
    Upstream: StrictlySendable, Context.SchedulerTimeType.Stride: StrictlySendable, Context: StrictlySendable,
    Context.SchedulerOptions: StrictlySendable
{}
