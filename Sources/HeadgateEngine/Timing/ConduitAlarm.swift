import HeadgateCore

/// The alarm of a conduit that is set, to be cancelled with the stream.
@usableFromInline package struct ConduitAlarm<Time> {
    @usableFromInline var alarm: (any Alarm)?

    /// When it is due.
    @usableFromInline var date: Time?

    @inlinable package init() {}

    @inlinable package var isSet: Bool { date != nil }

    @inlinable package mutating func cancel() {
        date = nil
        alarm.take()?.cancel()
    }
}

/// A conduit that an alarm wakes, one at a time.
///
/// An alarm isn't moved. When it goes off, the conduit checks what is due by then and sets the next, so a thousand values
/// that extend a time cost one alarm. Until then it retains the conduit.
@usableFromInline package protocol Waking: Joining {
    associatedtype Context: Scheduler

    /// The alarm that is set.
    // Confined to the drain's owner.
    var alarm: ConduitAlarm<Context.SchedulerTimeType> { get set }

    /// Called by the drain's owner when an alarm has gone off.
    ///
    /// - Parameter date: The time for which it was set. That counts as reached even if the clock disagrees, because
    ///   some schedulers never wait.
    func wake(atAlarmFor date: Context.SchedulerTimeType)
}

extension Waking {
    /// Sets the alarm for the end of a time span, unless it is set or the end is practically never.
    @inlinable package func setAlarm(for span: TimeSpan<Context>, since start: Context.SchedulerTimeType) {
        if !alarm.isSet, let date = span.end(since: start) { setAlarm(at: date, on: span.scheduler) }
    }

    /// Sets the alarm, unless it is set.
    @inlinable package func setAlarm(
        at date: Context.SchedulerTimeType, on scheduler: Context, options: Context.SchedulerOptions? = nil
    ) {
        if alarm.isSet { return }
        alarm.date = date
        // The closure captures nothing else, and so is no object of its own.
        alarm.alarm = scheduler.alarm(at: date, tolerance: scheduler.minimumTolerance, options: options) { self.ring() }
    }

    /// Called on the scheduler when an alarm has gone off.
    @inlinable func ring() {
        attend {
            // It may have been cancelled too late, and the next one set.
            guard self.alarm.alarm?.isOver ?? true, let date = self.alarm.date else { return }
            self.alarm.cancel()
            if !self.hasEnded { self.wake(atAlarmFor: date) }
        }
    }
}
