extension Publisher {
    /// Forwards values for a duration, then finishes.
    ///
    /// ```
    /// self      -1--2--3--4--5--|
    /// prefix    10
    ///           -1--2--3--|
    /// ```
    ///
    /// ```swift
    /// import Dispatch
    /// import Headgate
    /// import HeadgateTesting
    /// import HeadgateTestingTimers
    ///
    /// let scheduler = TestScheduler()
    /// let ticks = Publishers.timer(scheduler: scheduler, interval: .seconds(1))
    /// let some = ticks.prefix(duration: 2.5, on: scheduler).count().sink { print($0) }
    /// scheduler.advance(by: .seconds(10))
    /// // 2
    /// ```
    ///
    /// - **Demand**: forwarded.
    /// - **Completion**: finishes when the time has elapsed, on the scheduler, and cancels upstream; or completes with
    ///   upstream before that.
    /// - **Threads**: a value is delivered on the thread on which upstream delivers it; the end, on the scheduler. If a
    ///   value is being delivered then, the end waits for it, or is left to that thread if that takes long (rule 3.6 of
    ///   the contract).
    /// - **Complexity**: constant time per value; one job of the scheduler per subscription.
    ///
    /// - Parameters:
    ///   - duration: The number of seconds from the subscription.
    ///   - tolerance: How much longer it may be.
    ///   - scheduler: The scheduler that measures time.
    ///   - options: Options for the job of the scheduler.
    @inlinable public func prefix<Context: Scheduler>(
        duration: Double, tolerance: Context.SchedulerTimeType.Stride? = nil, on scheduler: Context,
        options: Context.SchedulerOptions? = nil
    ) -> AnyPublisher<Output, Failure> {
        prefix(duration: .seconds(duration), tolerance: tolerance, scheduler: scheduler, options: options)
    }

    /// Forwards values for a duration, then finishes.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of
    /// `prefix(duration:tolerance:on:options:)`, which takes a number of seconds.
    ///
    /// - Parameters:
    ///   - duration: The time from the subscription.
    ///   - tolerance: How much longer it may be.
    ///   - scheduler: The scheduler that measures time.
    ///   - options: Options for the job of the scheduler.
    @inlinable public func prefix<Context: Scheduler>(
        duration: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride? = nil,
        scheduler: Context, options: Context.SchedulerOptions? = nil
    ) -> AnyPublisher<Output, Failure> {
        prefix(
            untilOutputFrom: Just(()).delay(
                for: duration, tolerance: tolerance, scheduler: scheduler, options: options)
        )
        .eraseToAnyPublisher()
    }
}
