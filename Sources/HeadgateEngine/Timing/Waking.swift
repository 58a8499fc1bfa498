import HeadgateCore

/// A conduit that an alarm wakes: there is one at a time, and it is cancelled with the stream.
///
/// An alarm isn't moved. When it goes off, the conduit checks what is due by then and sets the next, so a thousand values
/// that extend a time cost one alarm.
@usableFromInline package protocol Waking where Self: DrainingConduit {
    associatedtype Context: Scheduler

    /// The alarm that is set.
    // Confined to the drain's owner.
    var alarm: (any Alarm)? { get set }

    /// Called by the drain's owner when an alarm has gone off.
    ///
    /// - Parameter moment: The current time. The time for which the alarm was set counts as reached even if the clock
    ///   disagrees, because some schedulers never wait.
    func wake(at moment: Context.SchedulerTimeType)
}

extension Waking {
    /// Sets the alarm for the end of a time span, unless it is set or the end is practically never.
    @inlinable package func setAlarm(for span: TimeSpan<Context>, since start: Context.SchedulerTimeType) {
        if alarm == nil, let date = span.end(since: start) { setAlarm(at: date, on: span.scheduler) }
    }

    /// Sets the alarm, unless it is set.
    @inlinable package func setAlarm(
        at date: Context.SchedulerTimeType, on scheduler: Context, options: Context.SchedulerOptions? = nil
    ) {
        if alarm != nil { return }
        alarm = scheduler.alarm(at: date, tolerance: scheduler.minimumTolerance, options: options) { [weak self] in
            guard let self else { return }
            attend {
                // It may have been cancelled too late, and the next one set.
                if self.alarm?.isOver == true { self.alarm = nil }
                if self.phase != .over { self.wake(at: max(scheduler.now, date)) }
            }
        }
    }

    @inlinable package func cancelAlarm() { alarm.take()?.cancel() }
}
