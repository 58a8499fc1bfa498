public import Foundation

/// A run loop runs closures on its thread, in its default mode, while it runs.
///
/// ```swift
/// import Foundation
/// import HeadgateFoundation
///
/// RunLoop.main.schedule { print("soon") }
/// RunLoop.main.run(until: Date() + 0.1)
/// // soon
/// ```
extension RunLoop: Scheduler {
    /// The options of the scheduler; there are none.
    public struct SchedulerOptions: Sendable {}

    /// The current moment, on a clock that ignores changes of the machine's clock.
    ///
    /// It shows the time of day when it was first read, plus the time elapsed since. So it never goes back, and a job
    /// waits for exactly its delay, whatever happens to the time of day. A moment made from `Date()` is off by as much
    /// as the machine's clock has been changed in the meantime: start from `now`.
    public var now: SchedulerTimeType { SchedulerTimeType(SteadyClock.shared.now) }

    /// Zero: the run loop is as exact as it can be.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs a closure in the next iteration of the run loop; closures run in the order in which they were scheduled.
    @preconcurrency public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
        perform(inModes: [.default]) { action() }
        RunLoopAlarm.of(self).wake(self)
    }

    /// Runs a closure at a moment; closures for the same moment run in the order in which they were scheduled.
    @preconcurrency public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        RunLoopAlarm.of(self).insert(date.date, on: self, action)
    }

    /// Runs a closure at a moment and after every interval, until the result is cancelled or released.
    ///
    /// The closure is released then. Runs for which the run loop is too late are skipped.
    ///
    /// - Parameter interval: Zero or more; a negative interval traps.
    @preconcurrency public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        interval.checkAsInterval()
        let work = ClearableAction(action)
        let first = Date(timeIntervalSinceNow: SteadyClock.shared.time(until: date.date))
        let timer = Timer(fire: first, interval: interval.timeInterval, repeats: true) { _ in work.run() }
        timer.tolerance = max(0, tolerance.timeInterval)
        add(timer, forMode: .default)
        return AnyCancellable(
            serially {
                timer.invalidate()
                work.clear()
            })
    }
}
