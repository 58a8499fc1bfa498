import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Says on a scheduler what is said to this publisher: subscribes, asks and cancels there, in that order.
    ///
    /// ```swift
    /// let disk = DispatchQueue(label: "disk")
    /// let length = Deferred { Just("what the file says".count) }    // runs on the queue
    /// for await number in length.subscribe(on: disk).values {
    ///     print(number)
    /// }
    /// // 18
    /// ```
    ///
    /// A publisher that delivers from inside a request then does so on the scheduler. Where others deliver is their
    /// affair: `receive(on:options:)` decides on that.
    ///
    /// The scheduler runs one job at a time for each subscriber, so that everything is said in order on a concurrent queue
    /// too.
    ///
    /// - **Demand**: passed on as it is, on the scheduler; demand that answers a value at once.
    /// - **Completion**: passed on as it is, on the thread that brings it.
    /// - **Complexity**: one job for the subscription, for each request and for `cancel()`, or fewer. After `cancel()`
    ///   nothing more arrives, even if the scheduler has not come to it.
    ///
    /// - Parameters:
    ///   - scheduler: Where to subscribe, ask and cancel.
    ///   - options: Passed to the scheduler with every job.
    @inlinable public func subscribe<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.SubscribeOn<Self, S> where Self: StrictlySendable, Output: StrictlySendable {
        Publishers.SubscribeOn(upstream: self, scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// A publisher that talks to another publisher on a scheduler.
    public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is talked to.
        public let upstream: Upstream

        /// Where it is talked to.
        public let scheduler: Context

        /// What is passed to the scheduler with every job.
        public let options: Context.SchedulerOptions?

        /// Makes the publisher that `subscribe(on:options:)` returns.
        @inlinable public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?)
        where Upstream: StrictlySendable, Upstream.Output: StrictlySendable {
            self.upstream = upstream
            self.scheduler = scheduler
            self.options = options
        }

        /// Connects a subscriber, on the scheduler.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            SubscribeOnConduit(on: scheduler, options: options, to: subscriber).connect(to: upstream)
        }
    }
}

extension Publishers.SubscribeOn: StrictlySendable
where Upstream: StrictlySendable, Context: StrictlySendable, Context.SchedulerOptions: StrictlySendable {}
