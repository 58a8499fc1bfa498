import HeadgateEngine

extension Publisher {
    /// Performs subscription, demand and cancellation on a scheduler, in order.
    ///
    /// ```
    /// self             1---2---3---|     begins in the next turn of the scheduler
    /// subscribe(on:)  -1---2---3---|
    /// ```
    ///
    /// ```swift
    /// import Dispatch
    /// import HeadgateCombine
    ///
    /// let disk = DispatchQueue(label: "disk")
    /// let length = Deferred { Just("what the file says".count) }    // runs on the queue
    /// for await number in length.subscribe(on: disk).values {
    ///     print(number)
    /// }
    /// // 18
    /// ```
    ///
    /// A publisher that delivers while it handles a request then delivers on the scheduler. To choose where any other
    /// publisher delivers, use `receive(on:options:)`.
    ///
    /// The scheduler runs one job at a time per subscriber, so the order is kept even on a concurrent queue.
    ///
    /// - **Demand**: requests are forwarded unchanged, on the scheduler; demand returned for a value, immediately.
    /// - **Completion**: forwarded unchanged, on the thread that delivers it.
    /// - **Threads**: upstream is subscribed to, requested from and cancelled on the scheduler. Values and the
    ///   completion are delivered on whichever thread upstream delivers them; `receive(on:options:)` moves those.
    /// - **Complexity**: one job for the subscription, for each request and for `cancel()`, or fewer. After `cancel()`
    ///   nothing more arrives, even if the scheduler has not run the job yet.
    ///
    /// - Parameters:
    ///   - scheduler: Performs subscription, requests and cancellation.
    ///   - options: Passed to the scheduler with every job.
    @preconcurrency @inlinable public func subscribe<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.SubscribeOn<Self, S> where Output: Sendable {
        Publishers.SubscribeOn(upstream: self, scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// A publisher that performs subscription, demand and cancellation on a scheduler.
    public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The scheduler.
        public let scheduler: Context

        /// The options passed to the scheduler with every job.
        public let options: Context.SchedulerOptions?

        /// Creates the publisher that `subscribe(on:options:)` returns.
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
            SubscribeOnConduit(on: scheduler, options: options, to: subscriber).connect(to: upstream)
        }
    }
}

extension Publishers.SubscribeOn: Sendable
where Upstream: Sendable, Context: Sendable, Context.SchedulerOptions: Sendable {}
