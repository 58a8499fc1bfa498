import HeadgateCore

/// Scheduled work that can be cancelled until it has run.
@usableFromInline package protocol Alarm: AnyObject, Sendable {
    /// Whether the work has run for the last time or has been cancelled.
    var isOver: Bool { get }

    /// Cancels the work unless it has run, and releases it.
    func cancel()
}

/// An alarm that its scheduler retains until the due time, without the work once it is cancelled.
@usableFromInline package final class ForgetfulAlarm: Alarm, Sendable {
    // The lock guards the closure. The caller that sets the alarm answers for what the closure touches.
    private struct Work: @unchecked Sendable {
        let run: () -> Void
    }

    private let work: Guarded<Work?>

    @usableFromInline package init(_ work: @escaping () -> Void) { self.work = Guarded(Work(run: work)) }

    @usableFromInline package var isOver: Bool { work.withLock { $0 == nil } }

    @usableFromInline package func cancel() { _ = forget() }

    /// Cancels the work.
    ///
    /// - Returns: Whether it had neither run nor been cancelled.
    package func forget() -> Bool {
        // Released on return, outside the lock.
        let work = work.withLock { $0.take() }
        return work != nil
    }

    /// Runs the work once, and releases it.
    @usableFromInline package func run() {
        let work = work.withLock { $0.take() }
        work?.run()
    }
}

/// A scheduler that releases an alarm when it is cancelled.
@usableFromInline package protocol AlarmScheduler: Scheduler {
    /// Runs work at a date unless the alarm has been cancelled by then.
    func setAlarm(
        at date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ work: @escaping () -> Void
    ) -> any Alarm
}

extension AlarmScheduler {
    /// The same, for a caller that doesn't know that these are the scheduler's types.
    @inlinable func setAlarmOfAny<Time, Length, Options>(
        at date: Time, tolerance: Length, options: Options?, _ work: @escaping () -> Void
    ) -> (any Alarm)? {
        guard let date = date as? SchedulerTimeType, let tolerance = tolerance as? SchedulerTimeType.Stride,
            let options = options as? SchedulerOptions?
        else { return nil }
        return setAlarm(at: date, tolerance: tolerance, options: options, work)
    }
}

extension Scheduler {
    /// Runs work at a date unless the alarm has been cancelled by then.
    ///
    /// A scheduler without alarms of its own retains a cancelled one until its date, but not the work.
    // The casts cost nothing where this is specialised.
    @inlinable package func alarm(
        at date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ work: @escaping () -> Void
    ) -> any Alarm {
        if let scheduler = self as? any AlarmScheduler,
            let alarm = scheduler.setAlarmOfAny(at: date, tolerance: tolerance, options: options, work)
        {
            return alarm
        }
        let alarm = ForgetfulAlarm(work)
        schedule(after: date, tolerance: tolerance, options: options, serially { alarm.run() })
        return alarm
    }
}
