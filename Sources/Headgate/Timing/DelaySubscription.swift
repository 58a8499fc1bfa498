import HeadgateEngine

extension Publisher {
    /// Delays the subscription to this publisher.
    ///
    /// ```
    /// self         1-2-|
    /// delay     3
    ///           ---1-2-|
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let scheduler = TestScheduler()
    /// let later = Just("hello")
    ///     .delaySubscription(for: .seconds(3), scheduler: scheduler)
    ///     .sink { print($0, "at", scheduler.now) }
    /// scheduler.advance(by: .seconds(3))
    /// // hello at 3s
    /// ```
    ///
    /// Values are not delayed, as they are by `delay(for:scheduler:)`, and a source that is cancelled before the delay
    /// has elapsed is never subscribed to. The subscriber receives its subscription at once, contrary to rule 1.7 of
    /// the contract, because there is no upstream yet.
    ///
    /// Upstream is subscribed to with the task-local values that are bound where this publisher is subscribed to.
    ///
    /// - **Demand**: kept until upstream has been subscribed to, then forwarded.
    /// - **Completion**: forwarded.
    /// - **Threads**: upstream is subscribed to, and what has been requested meanwhile is requested, on the scheduler;
    ///   later requests are forwarded on the calling thread. A value is delivered on the thread on which upstream
    ///   delivers it, which is the scheduler's if upstream answers at once.
    /// - **Complexity**: constant time per value; one job of the scheduler per subscription.
    ///
    /// - Parameters:
    ///   - interval: How long to wait.
    ///   - scheduler: The scheduler that measures time, and on which upstream is subscribed to.
    ///   - tolerance: How much later it may be.
    ///   - options: Options for the job of the scheduler.
    @inlinable public func delaySubscription<Context: Scheduler>(
        for interval: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride? = nil,
        scheduler: Context, options: Context.SchedulerOptions? = nil
    ) -> Publishers.DelaySubscription<Self, Context> {
        Publishers.DelaySubscription(
            upstream: self, interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance,
            scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// A publisher that delays the subscription to upstream.
    public struct DelaySubscription<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// How long to wait.
        public let interval: Context.SchedulerTimeType.Stride

        /// How much later it may be.
        public let tolerance: Context.SchedulerTimeType.Stride

        /// The scheduler that measures time, and on which upstream is subscribed to.
        public let scheduler: Context

        /// Options for the job of the scheduler.
        public let options: Context.SchedulerOptions?

        /// Creates the publisher that `delaySubscription(for:scheduler:)` returns.
        @inlinable public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride,
            tolerance: Context.SchedulerTimeType.Stride, scheduler: Context, options: Context.SchedulerOptions?
        ) {
            self.upstream = upstream
            self.interval = interval
            self.tolerance = tolerance
            self.scheduler = scheduler
            self.options = options
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let upstream = self.upstream
            let locals = TaskLocals()
            let conduit = SuccessionConduit<Output, Failure>(name: "DelaySubscription", to: subscriber)
            conduit.pause(
                until: scheduler.now.advanced(by: interval.bounded), on: scheduler, tolerance: tolerance,
                options: options
            ) { conduit, turn in
                locals.perform {
                    upstream.receive(subscriber: SuccessionSubscriber(conduit, turn: turn) { $0.end($1) })
                }
            }
        }
    }
}

extension Publishers.DelaySubscription: Sendable
where
    Upstream: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context: Sendable,
    Context.SchedulerOptions: Sendable
{}
