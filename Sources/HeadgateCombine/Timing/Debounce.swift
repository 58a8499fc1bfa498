import HeadgateEngine

extension Publisher {
    /// Publishes a value once no other has followed it for a given time.
    ///
    /// Drops a value if another one follows within that time, and one that falls due while nothing is requested. To
    /// keep them all, use operators of the module `Headgate`: `batch(count:within:scheduler:)`, which collects them,
    /// or `interval(_:scheduler:)`, which holds upstream back.
    ///
    /// ```
    /// self      1-2-----3-4--|
    /// debounce  ---
    ///           -----2-------(4|)
    /// ```
    ///
    /// ```swift
    /// import Dispatch
    /// import HeadgateCombine
    ///
    /// let queue = DispatchQueue(label: "work")
    /// for await text in ["s", "se", "sea"].publisher.debounce(for: .milliseconds(300), scheduler: queue).values {
    ///     print(text)
    /// }
    /// // sea
    /// ```
    ///
    /// If a value arrives exactly when the previous one is due, whichever the scheduler runs first wins. Values that
    /// arrive while the scheduler is late count too: only the most recent value is published.
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. A value that falls due without demand is dropped.
    /// - **Completion**: when upstream finishes, the waiting value is published at once, since no value can follow it,
    ///   and the completion after it; without demand, both wait for it. A failure does the same but doesn't wait for
    ///   demand: without any, the value is lost.
    /// - **Threads**: values and the completion are delivered on the scheduler; the subscription on the thread on which
    ///   upstream delivers it. `cancel()` reaches upstream on the calling thread.
    /// - **Complexity**: one reading of the clock per value. There is one timer at a time, which isn't reset for every
    ///   value.
    ///
    /// - Parameters:
    ///   - dueTime: How long to wait for another value before a value is published.
    ///   - scheduler: Provides the time and delivers the values.
    ///   - options: Passed to the scheduler with every job.
    @preconcurrency @inlinable public func debounce<S: Scheduler>(
        for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.Debounce<Self, S> where Output: Sendable {
        Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// A publisher of the upstream values that no other follows for a given time.
    public struct Debounce<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// How long to wait for another value before a value is published.
        public let dueTime: Context.SchedulerTimeType.Stride

        /// The scheduler that provides the time and delivers values.
        public let scheduler: Context

        /// The options passed to the scheduler with every job.
        public let options: Context.SchedulerOptions?

        /// Creates the publisher that `debounce(for:scheduler:options:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, dueTime: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?
        ) where Upstream.Output: Sendable {
            self.upstream = upstream
            self.dueTime = dueTime
            self.scheduler = scheduler
            self.options = options
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            ScheduledConduit(DebouncePlan(dueTime), DebouncedValue(), on: scheduler, options: options, to: subscriber)
                .attach(to: upstream)
        }
    }
}

extension Publishers.Debounce: Sendable
where
    Upstream: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context: Sendable,
    Context.SchedulerOptions: Sendable
{}

/// Everything is requested, and delivered a given time after it has arrived.
@usableFromInline struct DebouncePlan<Time: Strideable>: SchedulingPlan
where Time.Stride: SchedulerTimeIntervalConvertible {
    @usableFromInline let interval: Time.Stride

    @inlinable init(_ interval: Time.Stride) { self.interval = interval.bounded }

    @inlinable var name: StaticString { "Debounce" }

    @inlinable var pace: DeliveryPace<Time> { .afterArrival(interval) }

    @inlinable var demandPerValue: Subscribers.Demand { .unlimited }
}

/// The most recent value, and the completion after it, for which nothing waits.
@usableFromInline struct DebouncedValue<Output, Failure: Error, Time>: Backlog {
    @usableFromInline var value: Output?

    @usableFromInline var completion: Subscribers.Completion<Failure>?

    @usableFromInline var due: Time?

    @inlinable init() {}

    @inlinable var count: Int { value == nil ? 0 : 1 }

    @inlinable var length: Int { (value == nil ? 0 : 1) + (completion == nil ? 0 : 1) }

    @inlinable mutating func add(_ input: Output, due: Time?) -> Output? {
        self.due = due
        return exchange(&value, with: input)
    }

    @inlinable mutating func end(_ completion: Subscribers.Completion<Failure>, due: Time?) {
        self.completion = completion
        self.due = nil
    }

    @inlinable mutating func takeNext(earliestNext: Time?, isWanted: () -> Bool) -> Delivery<Output, Failure> {
        if let value {
            let isWanted = isWanted()
            if isWanted || completion == nil {
                self.value = nil
                due = nil
                return isWanted ? .value(value) : .dropped(value)
            }
            guard case .failure = completion else { return .unwanted }
        }
        return completion.map { .completion($0) } ?? .nothing
    }
}
