import Dispatch
import Headgate
import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import HeadgateTesting

extension Publishers {
    /// A timer like that of `timer(queue:interval:leeway:times:)`, driven by a test scheduler instead of a queue.
    ///
    /// ```
    /// timer     ----t---t---t|      times: .max(3)
    /// ```
    ///
    /// ```swift
    /// import Dispatch
    /// import Headgate
    /// import HeadgateTesting
    /// import HeadgateTestingTimers
    ///
    /// let scheduler = TestScheduler()
    /// let subscriber = TestSubscriber<Int, Never>(.unlimited, clock: scheduler)
    /// Publishers.timer(scheduler: scheduler, interval: .seconds(2), times: .max(2)).map { _ in 1 }.subscribe(subscriber)
    /// scheduler.advance(by: .seconds(10))
    /// print(subscriber.timedValues.map(\.time), subscriber.hasFinished)
    /// // [2s, 4s] true
    /// ```
    ///
    /// A tick is the nanoseconds since the scheduler started plus one, because there is no dispatch time of zero.
    ///
    /// - **Demand**: a tick without demand is dropped, and does not count towards `times`.
    /// - **Completion**: finishes right after the last of `times` values; immediately if that is `.none`.
    /// - **Threads**: values are delivered on the thread that moves the clock.
    /// - **Complexity**: one piece of work on the scheduler, rescheduled at every tick.
    ///
    /// - Parameters:
    ///   - scheduler: The scheduler that has to be advanced for the timer to tick.
    ///   - interval: The time from the first demand to the first tick, and from one tick to the next: more than zero.
    ///     `.never` makes a timer that never ticks.
    ///   - times: The number of values after which the stream finishes.
    public static func timer(
        scheduler: TestScheduler, interval: DispatchTimeInterval, times: Subscribers.Demand = .unlimited
    ) -> Publishers.DispatchTimer {
        DispatchTimer(configuration: DispatchTimerConfiguration(interval: interval, times: times)) { _, conduit in
            if interval == .never { return {} }
            let stride = TestTime.Stride.nanoseconds(DispatchQueue.SchedulerTimeType.Stride(interval).magnitude)
            let timer = scheduler.schedule(
                after: scheduler.now.advanced(by: stride), interval: stride,
                serially { [weak conduit] in
                    conduit?.push(DispatchTime(uptimeNanoseconds: UInt64(scheduler.now.nanoseconds) + 1))
                })
            return { timer.cancel() }
        }
    }
}
