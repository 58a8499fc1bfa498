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
