import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes at most one value in each interval: the first as soon as the scheduler comes to it, then the latest or
    /// the earliest of those that arrived since.
    ///
    /// ```
    /// self            1-2-3-------4-5-|
    /// throttle        -----          (latest)
    ///                 1----3------4----(5|)
    /// ```
    ///
    /// ```swift
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
    /// All hundred arrive before the queue comes to the first of them, which is one interval: with `latest: false` this
    /// prints 1.
    ///
    /// The interval counts from one delivery to the next. A value that arrives when it has passed, be it by nothing, is
    /// published as soon as the scheduler comes to it; one that arrives earlier is published when the interval has
    /// passed, and never kept for longer.
    ///
    /// - **Demand**: upstream is asked for everything. A value that is due and not asked for is kept until it is; with
    ///   `latest`, until the next one takes its place.
    /// - **Completion**: passed on behind the value that waits, which is published at its time; at once if none waits. A
    ///   failure does not wait: the value is published ahead of it, or lost if it has not been asked for.
    /// - **Complexity**: constant time per value, and one job for each value that is published.
    ///
    /// - Parameters:
    ///   - interval: The time from one value to the next, at the least.
    ///   - scheduler: What tells the time, and where values are delivered.
    ///   - latest: Whether to publish the latest value of an interval, and not the earliest.
    @inlinable public func throttle<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
    ) -> Publishers.Throttle<Self, S> where Output: StrictlySendable {
        Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
    }
}

extension Publishers {
    /// A publisher of the values of another publisher, of which it takes one in each interval.
    public struct Throttle<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are chosen from.
        public let upstream: Upstream

        /// The time from one value to the next, at the least.
        public let interval: Context.SchedulerTimeType.Stride

        /// What tells the time, and where values are delivered.
        public let scheduler: Context

        /// Whether the latest value of an interval is published, and not the earliest.
        public let latest: Bool

        /// Makes the publisher that `throttle(for:scheduler:latest:)` returns.
        @inlinable public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context, latest: Bool
        ) where Upstream.Output: StrictlySendable {
            self.upstream = upstream
            self.interval = interval
            self.scheduler = scheduler
            self.latest = latest
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let values = SpacedValues<Output, Failure, Context.SchedulerTimeType>(keepsLatest: latest)
            upstream.receive(
                subscriber: ScheduledConduit(
                    name: "Throttle", values, .afterDelivery(interval), asking: .everything, on: scheduler,
                    options: nil, to: subscriber))
        }
    }
}

extension Publishers.Throttle: StrictlySendable
where Upstream: StrictlySendable, Context.SchedulerTimeType.Stride: StrictlySendable, Context: StrictlySendable {}

/// The value that is published when the interval has passed, and the completion behind it.
@usableFromInline struct SpacedValues<Output, Failure: Error, Time>: Backlog {
    /// Which value is kept of several: the latest, or the earliest.
    @usableFromInline let keepsLatest: Bool

    @usableFromInline var value: Output?

    @usableFromInline var due: Time?

    @usableFromInline var completion: Subscribers.Completion<Failure>?

    @inlinable init(keepsLatest: Bool) { self.keepsLatest = keepsLatest }

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

    @inlinable mutating func takeNext(reopening: Time?, isWanted: () -> Bool) -> Delivery<Output, Failure> {
        if let value {
            if isWanted() {
                self.value = nil
                due = completion == nil ? reopening : nil
                return .value(value)
            }
            if !isFailing { return .unwanted }
        }
        return completion.map { .completion($0) } ?? .nothing
    }
}
