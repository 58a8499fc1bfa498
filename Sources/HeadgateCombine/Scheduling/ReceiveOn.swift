import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes the same on a scheduler, in the same order.
    ///
    /// ```
    /// self         1-2-3----|
    /// receive(on:) next turn of the scheduler
    ///              -1-2-3----|
    /// ```
    ///
    /// ```swift
    /// let queue = DispatchQueue(label: "work")
    /// for await number in (1...3).publisher.receive(on: queue).values {
    ///     print(number)
    /// }
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// The scheduler runs one job at a time for each subscriber, so that the values keep their order and never overlap
    /// on a concurrent queue either. A job delivers what is waiting, up to a limit, and then lets others have their turn.
    ///
    /// - **Demand**: passed on as it is, on the thread that asks.
    /// - **Completion**: passed on behind the values, on the scheduler.
    /// - **Complexity**: one job a value, or fewer if values arrive faster than the scheduler runs jobs.
    ///
    /// - Parameters:
    ///   - scheduler: Where values and the completion are delivered. The subscription is handed over at once.
    ///   - options: Passed to the scheduler with every job.
    @inlinable public func receive<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.ReceiveOn<Self, S> where Output: StrictlySendable {
        Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// A publisher that delivers the values of another publisher on a scheduler.
    public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
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

        /// Makes the publisher that `receive(on:options:)` returns.
        @inlinable public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?)
        where Upstream.Output: StrictlySendable {
            self.upstream = upstream
            self.scheduler = scheduler
            self.options = options
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(
                subscriber: ScheduledConduit(
                    name: "ReceiveOn", EventQueue<Output, Failure, Context.SchedulerTimeType>(), .atOnce,
                    asking: .multiple(1), on: scheduler, options: options, to: subscriber))
        }
    }
}

extension Publishers.ReceiveOn: StrictlySendable
where Upstream: StrictlySendable, Context: StrictlySendable, Context.SchedulerOptions: StrictlySendable {}
