import HeadgateCore

/// How long something may last, and on which clock.
@usableFromInline package struct TimeSpan<Context: Scheduler> {
    @usableFromInline package typealias Time = Context.SchedulerTimeType

    @usableFromInline let scheduler: Context

    @usableFromInline let length: Time.Stride

    @inlinable package init(_ length: Time.Stride, on scheduler: Context) {
        self.scheduler = scheduler
        self.length = length
    }

    @inlinable var now: Time { scheduler.now }

    /// The current time, or that for which an alarm was set if the clock hasn't reached it.
    @inlinable func now(atAlarmFor date: Time) -> Time { max(scheduler.now, date) }

    /// Its end, unless that is practically never.
    @inlinable func end(since start: Time) -> Time? {
        length.isEndless ? nil : start.advanced(by: max(length, .zero))
    }

    /// Whether the time span has elapsed at a given time.
    @inlinable func isOver(since start: Time, at moment: Time) -> Bool {
        if let end = end(since: start) { end <= moment } else { false }
    }
}

extension SchedulerTimeIntervalConvertible {
    /// A practically endless length of time: thirty years.
    @inlinable package static var endless: Self { .seconds(1_000_000_000) }
}

extension SchedulerTimeIntervalConvertible where Self: Comparable & SignedNumeric {
    /// Whether all units of time are zero, as for a scheduler with a single point in time.
    @inlinable package static var isNothing: Bool { endless <= .zero }

    /// Whether this length is practically endless: its end might not be a time that the clock can represent.
    @inlinable package var isEndless: Bool { !Self.isNothing && self >= .endless }

    /// This length, but at most thirty years: a later end might not be a time that a clock can represent.
    @inlinable package var bounded: Self { isEndless ? .endless : self }

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
