import HeadgateCore

/// The alarm of a conduit, cancelled with the stream or the conduit.
@usableFromInline package struct ConduitAlarm: ~Copyable {
    @usableFromInline var alarm: (any Alarm)?

    @inlinable package init() {}

    @inlinable deinit { alarm?.cancel() }

    @inlinable var isSet: Bool { alarm != nil }

    @inlinable package mutating func cancel() { alarm.take()?.cancel() }

    /// Releases the alarm if it has gone off.
    @inlinable mutating func forget() {
        if alarm?.isOver == true { alarm = nil }
    }
}

/// A conduit that an alarm wakes, one at a time.
///
/// An alarm isn't moved. When it goes off, the conduit checks what is due by then and sets the next, so a thousand values
/// that extend a time cost one alarm.
@usableFromInline package protocol Waking where Self: DrainingConduit {
    associatedtype Context: Scheduler

    /// The alarm that is set.
    // Confined to the drain's owner.
    var alarm: ConduitAlarm { get set }

    /// Called by the drain's owner when an alarm has gone off.
    ///
    /// - Parameter moment: The current time. The time for which the alarm was set counts as reached even if the clock
    ///   disagrees, because some schedulers never wait.
    func wake(at moment: Context.SchedulerTimeType)
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
        let set = scheduler.alarm(at: date, tolerance: scheduler.minimumTolerance, options: options) { [weak self] in
            guard let self else { return }
            attend {
                // Unless it was cancelled too late, and the next one has been set.
                self.alarm.forget()
                if self.phase != .over { self.wake(at: max(scheduler.now, date)) }
            }
        }
        alarm.alarm = set
    }
}
