import HeadgateCore

/// A scheduler as a conduit with a drain uses it: to read the time, and to schedule single alarms.
@usableFromInline package struct AlarmClock<Context: Scheduler> {
    @usableFromInline package typealias Time = Context.SchedulerTimeType

    @usableFromInline package let scheduler: Context

    @inlinable package init(_ scheduler: Context) { self.scheduler = scheduler }

    @inlinable package var now: Time { scheduler.now }

    /// Returns the current time, for an alarm that was set for a given time: that counts as reached even if the clock
    /// disagrees, because some schedulers never wait.
    @inlinable package func now(atAlarmFor date: Time) -> Time { max(scheduler.now, date) }

    /// Whether an interval has elapsed since a given time.
    @inlinable package func has(_ interval: Time.Stride, passedSince start: Time, at moment: Time) -> Bool {
        Context.SchedulerTimeType.Stride.isNothing || start.distance(to: moment) >= interval
    }

    /// Schedules an alarm, unless the interval is practically endless: its end might not be a time that the clock can
    /// represent.
    ///
    /// - Parameter action: Receives the time for which the alarm was set.
    /// - Returns: The alarm, to be cancelled with the stream; `nil` if it would never fire.
    @inlinable package func wake(
        after interval: Time.Stride, from start: Time, _ action: @escaping (Time) -> Void
    ) -> (any Alarm)? {
        if interval >= .endless, !Context.SchedulerTimeType.Stride.isNothing { return nil }
        let date = start.advanced(by: max(interval, .zero))
        return scheduler.alarm(at: date, tolerance: scheduler.minimumTolerance, options: nil) { action(date) }
    }
}

extension SchedulerTimeIntervalConvertible {
    /// A practically endless length of time: thirty years.
    @inlinable package static var endless: Self { .seconds(1_000_000_000) }
}

extension SchedulerTimeIntervalConvertible where Self: Comparable & SignedNumeric {
    /// Whether all units of time are zero, as for a scheduler with a single point in time.
    @inlinable package static var isNothing: Bool { endless <= .zero }

    /// This length, but at most thirty years: a later end might not be a time that a clock can represent.
    @inlinable package var bounded: Self { Self.isNothing ? self : min(self, .endless) }

    /// This length in nanoseconds, rounded down and clamped to zero and the greatest number.
    ///
    /// Found by comparison, since a length of time can be created from nanoseconds but not converted back.
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
