import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Subscribes to this publisher a while after it has itself been subscribed to.
    ///
    /// ```
    /// self         1-2-|
    /// delay     3
    ///           ---1-2-|
    /// ```
    ///
    /// ```swift
    /// let scheduler = TestScheduler()
    /// let later = Just("hello")
    ///     .delaySubscription(for: .seconds(3), scheduler: scheduler)
    ///     .sink { print($0, "at", scheduler.now) }
    /// scheduler.advance(by: .seconds(3))
    /// // hello at 3s
    /// ```
    ///
    /// Values are not delayed, as they are by `delay(for:scheduler:)`, and a source that is cancelled before the time is up is
    /// never begun. The subscriber has its subscription at once, against rule 1.7 of the contract: there is no upstream yet.
    ///
    /// - **Demand**: kept until upstream is there, and passed on.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: constant time a value; one alarm a subscription.
    ///
    /// - Parameters:
    ///   - interval: How long to wait.
    ///   - scheduler: What tells the time, and where upstream is subscribed to.
    ///   - tolerance: How much later it may be.
    ///   - options: Passed to the scheduler.
    @inlinable public func delaySubscription<Context: Scheduler>(
        for interval: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride? = nil,
        scheduler: Context, options: Context.SchedulerOptions? = nil
    ) -> Publishers.DelaySubscription<Self, Context> where Self: StrictlySendable {
        Publishers.DelaySubscription(
            upstream: self, interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance,
            scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// A publisher that is subscribed to a while after its subscriber has come.
    public struct DelaySubscription<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is subscribed to later.
        public let upstream: Upstream

        /// How long to wait.
        public let interval: Context.SchedulerTimeType.Stride

        /// How much later it may be.
        public let tolerance: Context.SchedulerTimeType.Stride

        /// What tells the time, and where upstream is subscribed to.
        public let scheduler: Context

        /// What is passed to the scheduler.
        public let options: Context.SchedulerOptions?

        /// Makes the publisher that `delaySubscription(for:scheduler:)` returns.
        @inlinable public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride,
            tolerance: Context.SchedulerTimeType.Stride, scheduler: Context, options: Context.SchedulerOptions?
        ) where Upstream: StrictlySendable {
            self.upstream = upstream
            self.interval = interval
            self.tolerance = tolerance
            self.scheduler = scheduler
            self.options = options
        }

        /// Gives a subscriber its subscription, and connects it later.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let upstream = self.upstream
            let conduit = SuccessionConduit<Output, Failure>(name: "DelaySubscription", to: subscriber)
            conduit.pause(
                until: scheduler.now.advanced(by: interval.bounded), on: scheduler, tolerance: tolerance,
                options: options
            ) { conduit, turn in
                upstream.receive(subscriber: SuccessionSubscriber(conduit, turn: turn) { $0.end($1) })
            }
        }
    }
}

extension Publishers.DelaySubscription: StrictlySendable
where
    Upstream: StrictlySendable, Context.SchedulerTimeType.Stride: StrictlySendable, Context: StrictlySendable,
    Context.SchedulerOptions: StrictlySendable
{}
