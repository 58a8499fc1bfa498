import HeadgateEngine

extension Publisher {
    /// Publishes at most one value per interval: the first as soon as the scheduler can, then the most recent or the
    /// earliest of those that arrived since.
    ///
    /// Drops the other values of an interval. To keep them all, use `collect(_:options:)`, which publishes the values
    /// of an interval together, or `rateLimit(_:per:burst:scheduler:)` of the module `Headgate`, which holds upstream
    /// back.
    ///
    /// ```
    /// self            1-2-3-------4-5-|
    /// throttle        -----          (latest)
    ///                 1----3------4----(5|)
    /// ```
    ///
    /// ```swift
    /// import HeadgateCombine
    /// import HeadgateTesting
    ///
    /// let scheduler = TestScheduler()
    /// let percent = PassthroughSubject<Int, Never>()
    /// let cancellable = percent
    ///     .throttle(for: .seconds(1), scheduler: scheduler, latest: true)
    ///     .sink { print("\(scheduler.now): \($0)") }
    /// for number in 1...3 {
    ///     percent.send(number)
    ///     scheduler.advance(by: .milliseconds(400))
    /// }
    /// // 0s: 1
    /// // 1s: 3
    /// ```
    ///
    /// Intervals are measured from one delivery to the next. A value that arrives once the interval has elapsed is
    /// published as soon as the scheduler can; one that arrives earlier is published when the interval has elapsed, and
    /// never kept for longer.
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. A value that is due without demand is kept until there is demand; with `latest`, until the next value
    ///   replaces it.
    /// - **Completion**: forwarded after the waiting value, which is published at its time; at once if none waits. A
    ///   failure doesn't wait: the value is published before it, or lost without demand.
    /// - **Threads**: values and the completion are delivered on the scheduler, even the first value; the subscription
    ///   on the thread on which upstream delivers it. `cancel()` reaches upstream on the calling thread.
    /// - **Complexity**: constant time per value, and one job per published value.
    ///
    /// - Parameters:
    ///   - interval: The minimum time from one value to the next.
    ///   - scheduler: Provides the time and delivers the values.
    ///   - latest: Whether to publish the most recent value of an interval rather than the earliest.
    @preconcurrency @inlinable public func throttle<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
    ) -> Publishers.Throttle<Self, S> where Output: Sendable {
        Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
    }
}

extension Publishers {
    /// A publisher of at most one upstream value per interval.
    public struct Throttle<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The minimum time from one value to the next.
        public let interval: Context.SchedulerTimeType.Stride

        /// The scheduler that provides the time and delivers values.
        public let scheduler: Context

        /// Whether the most recent value of an interval is published rather than the earliest.
        public let latest: Bool

        /// Creates the publisher that `throttle(for:scheduler:latest:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context, latest: Bool
        ) where Upstream.Output: Sendable {
            self.upstream = upstream
            self.interval = interval
            self.scheduler = scheduler
            self.latest = latest
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            ScheduledConduit(
                name: "Throttle", SpacedValues(keepsLatest: latest), .afterDelivery(interval.bounded),
                requesting: .unlimited, on: scheduler, options: nil, to: subscriber
            ).attach(to: upstream)
        }
    }
}

extension Publishers.Throttle: Sendable
where Upstream: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context: Sendable {}

/// The value that is published when the interval has elapsed, and the completion after it.
@usableFromInline struct SpacedValues<Output, Failure: Error, Time>: Backlog {
    /// Whether the most recent of several values is kept rather than the earliest.
    @usableFromInline let keepsLatest: Bool

    @usableFromInline var value: Output?

    @usableFromInline var due: Time?

    @usableFromInline var completion: Subscribers.Completion<Failure>?

    @inlinable init(keepsLatest: Bool) { self.keepsLatest = keepsLatest }

    @inlinable var count: Int { value == nil ? 0 : 1 }

    @inlinable var length: Int { (value == nil ? 0 : 1) + (completion == nil ? 0 : 1) }

    @inlinable mutating func add(_ input: Output, due: Time?) -> Output? {
        value == nil || keepsLatest ? exchange(&value, with: input) : input
    }

    @inlinable mutating func end(_ completion: Subscribers.Completion<Failure>, due: Time?) {
        self.completion = completion
        if value == nil || isFailing { self.due = nil }
    }

    @inlinable var isFailing: Bool {
        if case .failure = completion { true } else { false }
    }

    @inlinable mutating func takeNext(earliestNext: Time?, isWanted: () -> Bool) -> Delivery<Output, Failure> {
        if let value {
            if isWanted() {
                self.value = nil
                due = completion == nil ? earliestNext : nil
                return .value(value)
            }
            if !isFailing { return .unwanted }
        }
        return completion.map { .completion($0) } ?? .nothing
    }
}
