import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes a value when none has followed it for a while.
    ///
    /// ```
    /// self      1-2-----3-4--|
    /// debounce  ---
    ///           -----2-------(4|)
    /// ```
    ///
    /// ```swift
    /// let queue = DispatchQueue(label: "work")
    /// for await text in ["s", "se", "sea"].publisher.debounce(for: .milliseconds(300), scheduler: queue).values {
    ///     print(text)
    /// }
    /// // sea
    /// ```
    ///
    /// A value that arrives at the very moment when its predecessor is due takes its place if it comes before the
    /// scheduler's job. What arrives while the scheduler is late counts: only the latest value is published.
    ///
    /// - **Demand**: upstream is asked for everything. A value that falls due and has not been requested is dropped.
    /// - **Completion**: when upstream finishes, the value that waits is published at once, for nothing can follow it any
    ///   more, and the completion after it; without demand both wait for it. A failure does the same, but does not wait
    ///   for demand: without any, the value is lost.
    /// - **Complexity**: one look at the clock a value. There is one timer at a time, which is not set anew for every value.
    ///
    /// - Parameters:
    ///   - dueTime: How long it has to be quiet.
    ///   - scheduler: What tells the time, and where values are delivered.
    ///   - options: Passed to the scheduler with every job.
    @inlinable public func debounce<S: Scheduler>(
        for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.Debounce<Self, S> where Output: StrictlySendable {
        Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// A publisher of those values of another publisher that none has followed for a while.
    public struct Debounce<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are chosen from.
        public let upstream: Upstream

        /// How long it has to be quiet.
        public let dueTime: Context.SchedulerTimeType.Stride

        /// What tells the time, and where values are delivered.
        public let scheduler: Context

        /// What is passed to the scheduler with every job.
        public let options: Context.SchedulerOptions?

        /// Makes the publisher that `debounce(for:scheduler:options:)` returns.
        @inlinable public init(
            upstream: Upstream, dueTime: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?
        ) where Upstream.Output: StrictlySendable {
            self.upstream = upstream
            self.dueTime = dueTime
            self.scheduler = scheduler
            self.options = options
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let latest = LatestValue<Output, Failure, Context.SchedulerTimeType>()
            upstream.receive(
                subscriber: ScheduledConduit(
                    name: "Debounce", latest, .afterArrival(dueTime), asking: .everything, on: scheduler,
                    options: options, to: subscriber))
        }
    }
}

extension Publishers.Debounce: StrictlySendable
where
    Upstream: StrictlySendable, Context.SchedulerTimeType.Stride: StrictlySendable, Context: StrictlySendable,
    Context.SchedulerOptions: StrictlySendable
{}

/// The latest value, and the completion behind it, for which nothing waits.
@usableFromInline struct LatestValue<Output, Failure: Error, Time>: Backlog {
    @usableFromInline var value: Output?

    @usableFromInline var due: Time?

    @usableFromInline var completion: Subscribers.Completion<Failure>?

    @inlinable init() {}

    @inlinable mutating func add(_ input: Output, due: Time?) -> Output? {
        self.due = due
        return exchange(&value, with: input)
    }

    @inlinable mutating func end(_ completion: Subscribers.Completion<Failure>, due: Time?) {
        self.completion = completion
        self.due = nil
    }

    @inlinable mutating func takeNext(reopening: Time?, isWanted: () -> Bool) -> Delivery<Output, Failure> {
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
