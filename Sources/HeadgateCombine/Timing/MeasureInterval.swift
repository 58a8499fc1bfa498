import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes how much time has passed from each value to the next.
    ///
    /// ```
    /// self             --1---2-3|
    /// measureInterval  --2---4-2|
    /// ```
    ///
    /// ```swift
    /// let queue = DispatchQueue(label: "work")
    /// let late = Just("late").delay(for: .milliseconds(20), scheduler: queue)
    /// for await interval in late.measureInterval(using: queue).values {
    ///     print(interval >= .milliseconds(20))
    /// }
    /// // true
    /// ```
    ///
    /// The first interval begins with the subscription. The scheduler is asked for the time, and schedules nothing: values
    /// are delivered on the thread that brings them.
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: one look at the clock a value.
    ///
    /// - Parameters:
    ///   - scheduler: What tells the time.
    ///   - options: Has no effect.
    @inlinable public func measureInterval<S: Scheduler>(
        using scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.MeasureInterval<Self, S> {
        Publishers.MeasureInterval(upstream: self, scheduler: scheduler)
    }
}

extension Publishers {
    /// A publisher of the time that passes between the values of another publisher.
    public struct MeasureInterval<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// A length of time on the scheduler's clock.
        public typealias Output = Context.SchedulerTimeType.Stride

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are timed.
        public let upstream: Upstream

        /// What tells the time.
        public let scheduler: Context

        /// Makes the publisher that `measureInterval(using:options:)` returns.
        @inlinable public init(upstream: Upstream, scheduler: Context) {
            self.upstream = upstream
            self.scheduler = scheduler
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let watch = Stopwatch(scheduler)
            var observer = StreamObserver<Upstream.Output, Failure>()
            observer.subscription = { _ in _ = watch.lap() }
            let step = _MapStep<Upstream, Output> { _ in watch.lap() }
            upstream.receive(
                subscriber: ObservingConduit(name: "MeasureInterval", observer, StepConduit(step, subscriber)))
        }
    }
}

extension Publishers.MeasureInterval: StrictlySendable where Upstream: StrictlySendable, Context: StrictlySendable {}

/// Tells the time that has passed since it was last asked.
@usableFromInline final class Stopwatch<Context: Scheduler> {
    @usableFromInline let scheduler: Context

    // Used inside deliveries alone, and those are serial and never nested; hence unchecked.
    @exclusivity(unchecked) @usableFromInline var last: Context.SchedulerTimeType

    @inlinable init(_ scheduler: Context) {
        self.scheduler = scheduler
        last = scheduler.now
    }

    @inlinable func lap() -> Context.SchedulerTimeType.Stride {
        let now = scheduler.now
        return exchange(&last, with: now).distance(to: now)
    }
}
