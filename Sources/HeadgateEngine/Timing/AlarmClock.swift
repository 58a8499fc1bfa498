import HeadgateCore

/// A scheduler as a conduit with a drain uses it: to tell the time, and to be woken once.
@usableFromInline package struct AlarmClock<Context: Scheduler> {
    @usableFromInline package typealias Time = Context.SchedulerTimeType

    @usableFromInline package let scheduler: Context

    @inlinable package init(_ scheduler: Context) { self.scheduler = scheduler }

    @inlinable package var now: Time { scheduler.now }

    /// The present moment, for an alarm that was set for another one: that counts as reached even if the clock says
    /// otherwise, for there are schedulers that wait for nothing.
    @inlinable package func now(atAlarmFor date: Time) -> Time { max(scheduler.now, date) }

    /// Whether as much time has passed since a moment.
    @inlinable package func has(_ interval: Time.Stride, passedSince start: Time, at moment: Time) -> Bool {
        Context.SchedulerTimeType.Stride.isNothing || start.distance(to: moment) >= interval
    }

    /// Schedules an alarm, unless the interval is as good as endless: its end might not be a moment that the clock knows.
    ///
    /// - Parameter action: Is given the moment for which the alarm was set.
    /// - Returns: Whether it will go.
    @inlinable package func wake(
        after interval: Time.Stride, from start: Time, _ action: @escaping (Time) -> Void
    ) -> Bool {
        if interval >= .endless, !Context.SchedulerTimeType.Stride.isNothing { return false }
        let date = start.advanced(by: max(interval, .zero))
        scheduler.schedule(after: date, tolerance: scheduler.minimumTolerance, options: nil, serially { action(date) })
        return true
    }
}

extension SchedulerTimeIntervalConvertible {
    /// A length of time that nobody lives to see the end of: thirty years.
    @inlinable package static var endless: Self { .seconds(1_000_000_000) }
}

extension SchedulerTimeIntervalConvertible where Self: Comparable & SignedNumeric {
    /// Whether all units of time are nothing, as for a scheduler that knows one moment only.
    @inlinable package static var isNothing: Bool { endless <= .zero }

    /// This length, or thirty years where it is longer: the end of it might not be a moment that a clock knows.
    @inlinable package var bounded: Self { Self.isNothing ? self : min(self, .endless) }

    /// This length in nanoseconds, rounded down; the greatest number where it is longer, zero where it is negative.
    ///
    /// Found by comparing, for a length of time can be made of a number of nanoseconds and not be turned back into one.
    @inlinable package var nanosecondCount: Int {
        if self <= .zero || Self.isNothing { return 0 }
        if self >= .endless { return .max }
        var count = 0
        var bit = 1 << 59
        while bit > 0 {
            if Self.nanoseconds(count + bit) <= self { count += bit }
            bit >>= 1
        }
        return count
    }
}
