import HeadgateEngine

extension Publisher {
    /// Publishes the time from each value to the next.
    ///
    /// ```
    /// self             --1---2-3|
    /// measureInterval  --2---4-2|
    /// ```
    ///
    /// ```swift
    /// import Dispatch
    /// import HeadgateCombine
    ///
    /// let queue = DispatchQueue(label: "work")
    /// let late = Just("late").delay(for: .milliseconds(20), scheduler: queue)
    /// for await interval in late.measureInterval(using: queue).values {
    ///     print(interval >= .milliseconds(20))
    /// }
    /// // true
    /// ```
    ///
    /// The first interval begins with the subscription. The scheduler only provides the time: values are delivered on
    /// upstream's thread.
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: the clock is read, and an interval delivered, on the thread on which upstream
    ///   delivers a value. Nothing runs on the scheduler.
    /// - **Complexity**: one reading of the clock per value.
    ///
    /// - Parameters:
    ///   - scheduler: Provides the time.
    ///   - options: Has no effect.
    @inlinable public func measureInterval<S: Scheduler>(
        using scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.MeasureInterval<Self, S> {
        Publishers.MeasureInterval(upstream: self, scheduler: scheduler)
    }
}

extension Publishers {
    /// A publisher of the time between the values of upstream.
    public struct MeasureInterval<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = Context.SchedulerTimeType.Stride
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The scheduler that provides the time.
        public let scheduler: Context

        /// Creates the publisher that `measureInterval(using:options:)` returns.
        @inlinable public init(upstream: Upstream, scheduler: Context) {
            self.upstream = upstream
            self.scheduler = scheduler
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let watch = Stopwatch(scheduler)
            var observer = ClosureObserver<Upstream.Output, Failure>()
            observer.subscription = { _ in _ = watch.lap() }
            let step = _MapStep<Upstream.Output, Failure, Output> { _ in watch.lap() }
            upstream.receive(
                subscriber: ObservingConduit(name: "MeasureInterval", observer, StepConduit(step, subscriber)))
        }
    }
}

extension Publishers.MeasureInterval: Sendable where Upstream: Sendable, Context: Sendable {}

/// Measures the time since it was last read.
@usableFromInline final class Stopwatch<Context: Scheduler> {
    @usableFromInline let scheduler: Context

    // Confined to upstream's deliveries, which are serial.
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
