import HeadgateEngine

extension Publisher {
    /// Delivers values on a scheduler, and completes the stream if none arrives for too long.
    ///
    /// ```
    /// self      1-2----------3-|
    /// timeout   -----
    ///           1-2----|
    /// ```
    ///
    /// ```swift
    /// import Dispatch
    /// import HeadgateCombine
    ///
    /// struct NoAnswer: Error {}
    /// let queue = DispatchQueue(label: "work")
    /// let answers = PassthroughSubject<String, NoAnswer>()
    /// do {
    ///     let answersInTime = answers.timeout(.milliseconds(20), scheduler: queue, customError: { NoAnswer() })
    ///     for try await answer in answersInTime.values { print(answer) }
    /// } catch {
    ///     print(error)
    /// }
    /// // NoAnswer()
    /// ```
    ///
    /// The time is measured from the subscription, and anew from the arrival of each value, with or without demand. A
    /// value that has arrived is delivered, however late the scheduler is.
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded after the values. When the time is up, upstream is cancelled, and the stream
    ///   finishes, or fails with the closure's error.
    /// - **Threads**: values and the completion are delivered on the scheduler, where upstream is also cancelled when
    ///   the time is up; the subscription on the thread on which upstream delivers it. Requests and `cancel()` reach
    ///   upstream on the calling thread.
    /// - **Complexity**: that of `receive(on:options:)`, and one reading of the clock per value. There is one timer at
    ///   a time, which isn't reset for every value.
    ///
    /// - Parameters:
    ///   - interval: How long to wait for a value.
    ///   - scheduler: Provides the time and delivers the values.
    ///   - options: Passed to the scheduler with every job.
    ///   - customError: Creates the failure; without it, the stream finishes. Called on the scheduler.
    @preconcurrency @inlinable public func timeout<S: Scheduler>(
        _ interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
        customError: (@Sendable () -> Failure)? = nil
    ) -> Publishers.Timeout<Self, S> where Output: Sendable {
        Publishers.Timeout(
            upstream: self, interval: interval, scheduler: scheduler, options: options, customError: customError)
    }
}

extension Publishers {
    /// A publisher of upstream's values that completes if none arrives for too long.
    public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// How long to wait for a value.
        public let interval: Context.SchedulerTimeType.Stride

        /// The scheduler that provides the time and delivers values.
        public let scheduler: Context

        /// The options passed to the scheduler with every job.
        public let options: Context.SchedulerOptions?

        /// The closure that creates the failure.
        public let customError: (@Sendable () -> Upstream.Failure)?

        /// Creates the publisher that `timeout(_:scheduler:options:customError:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?,
            customError: (@Sendable () -> Publishers.Timeout<Upstream, Context>.Failure)?
        ) where Upstream.Output: Sendable {
            self.upstream = upstream
            self.interval = interval
            self.scheduler = scheduler
            self.options = options
            self.customError = customError
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(
                subscriber: ScheduledConduit(
                    TimeoutPlan(interval), AwaitedEvents(customError: customError), on: scheduler, options: options,
                    to: subscriber))
        }
    }
}

extension Publishers.Timeout: Sendable
where
    Upstream: Sendable, Context.SchedulerTimeType.Stride: Sendable, Context: Sendable,
    Context.SchedulerOptions: Sendable
{}

/// Everything is delivered as soon as possible, and the stream ends if no value arrives for a given time.
@usableFromInline struct TimeoutPlan<Time: Strideable>: SchedulingPlan
where Time.Stride: SchedulerTimeIntervalConvertible {
    @usableFromInline let interval: Time.Stride

    @inlinable init(_ interval: Time.Stride) { self.interval = interval.bounded }

    @inlinable var name: StaticString { "Timeout" }

    @inlinable var pace: DeliveryPace<Time> { .atOnceUntilSilence(interval) }

    @inlinable var demandPerValue: Subscribers.Demand { .max(1) }
}
