import HeadgateCore

/// How long something may last, and on which clock.
@usableFromInline package struct TimeSpan<Context: Scheduler> {
    @usableFromInline package typealias Time = Context.SchedulerTimeType

    @usableFromInline let clock: AlarmClock<Context>

    @usableFromInline let length: Time.Stride

    @inlinable package init(_ length: Time.Stride, on scheduler: Context) {
        clock = AlarmClock(scheduler)
        self.length = length
    }

    @inlinable var now: Time { clock.now }

    /// Returns the current time, for an alarm that was set for a given time.
    @inlinable func now(atAlarmFor date: Time) -> Time { clock.now(atAlarmFor: date) }

    /// Whether the time span has elapsed at a given time.
    @inlinable func isOver(since start: Time, at moment: Time) -> Bool {
        clock.has(length, passedSince: start, at: moment)
    }

    /// Schedules an alarm for its end, unless that is practically never.
    ///
    /// - Returns: The alarm, to be cancelled with the stream; `nil` if it would never fire.
    @inlinable func wakeAtEnd(since start: Time, _ action: @escaping (Time) -> Void) -> (any Alarm)? {
        clock.wake(after: length, from: start, action)
    }
}
