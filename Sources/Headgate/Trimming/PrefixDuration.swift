import HeadgateCombine
import HeadgateCore

extension Publisher {
    /// Passes values on for a length of time, and finishes then.
    ///
    /// ```
    /// self      -1--2--3--4--5--|
    /// prefix    10
    ///           -1--2--3--|
    /// ```
    ///
    /// ```swift
    /// let scheduler = TestScheduler()
    /// let ticks = Publishers.timer(scheduler: scheduler, interval: .seconds(1))
    /// let some = ticks.prefix(duration: 2.5, on: scheduler).count().sink { print($0) }
    /// scheduler.advance(by: .seconds(10))
    /// // 2
    /// ```
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: finishes when the time is up, on the scheduler, and cancels upstream; or with upstream before that.
    /// - **Complexity**: constant time a value; one alarm a subscription.
    ///
    /// - Parameters:
    ///   - duration: How many seconds, from the subscription.
    ///   - tolerance: How much longer it may be.
    ///   - scheduler: What tells the time.
    ///   - options: Passed to the scheduler.
    @inlinable public func prefix<Context: Scheduler & StrictlySendable>(
        duration: Double, tolerance: Context.SchedulerTimeType.Stride? = nil, on scheduler: Context,
        options: Context.SchedulerOptions? = nil
    ) -> AnyPublisher<Output, Failure>
    where
        Self: StrictlySendable, Context.SchedulerOptions: StrictlySendable,
        Context.SchedulerTimeType.Stride: StrictlySendable
    {
        prefix(
            untilOutputFrom: Just(()).delay(
                for: .seconds(duration), tolerance: tolerance, scheduler: scheduler, options: options)
        )
        .eraseToAnyPublisher()
    }
}
