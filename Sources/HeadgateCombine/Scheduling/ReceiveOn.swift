import HeadgateEngine

extension Publisher {
    /// Delivers values and the completion on a scheduler, in order.
    ///
    /// ```
    /// self         1-2-3----|
    /// receive(on:) next turn of the scheduler
    ///              -1-2-3----|
    /// ```
    ///
    /// ```swift
    /// import Dispatch
    /// import HeadgateCombine
    ///
    /// let queue = DispatchQueue(label: "work")
    /// for await number in (1...3).publisher.receive(on: queue).values {
    ///     print(number)
    /// }
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// The scheduler runs one job at a time per subscriber, so values keep their order and never overlap, even on a
    /// concurrent queue. A job delivers all values that had arrived when it began; the first that arrives meanwhile
    /// schedules the next job. So on a serial queue, work that is submitted after a value was sent runs after the
    /// delivery of that value, if it has been requested, and no stream monopolises the queue.
    ///
    /// - **Demand**: forwarded unchanged, on the requesting thread.
    /// - **Completion**: forwarded after the values, on the scheduler.
    /// - **Threads**: values and the completion are delivered on the scheduler; the subscription on the thread on which
    ///   upstream delivers it. Requests and `cancel()` reach upstream on the calling thread, and demand returned for a
    ///   value on the scheduler. A value that the scheduler is delivering when `cancel()` is called on another thread
    ///   still arrives.
    /// - **Complexity**: one job per value, or fewer if values arrive faster than the scheduler runs jobs.
    ///
    /// - Parameters:
    ///   - scheduler: Delivers the values and the completion. The subscription is delivered immediately.
    ///   - options: Passed to the scheduler with every job.
    @preconcurrency @inlinable public func receive<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.ReceiveOn<Self, S> where Output: Sendable {
        Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// A publisher that delivers the values of upstream on a scheduler.
    public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The scheduler that delivers the values.
        public let scheduler: Context

        /// The options passed to the scheduler with every job.
        public let options: Context.SchedulerOptions?

        /// Creates the publisher that `receive(on:options:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?
        )
        where Upstream.Output: Sendable {
            self.upstream = upstream
            self.scheduler = scheduler
            self.options = options
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(
                subscriber: ReceiveOnConduit(on: scheduler, options: options, to: subscriber))
        }
    }
}

extension Publishers.ReceiveOn: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}
