import HeadgateCore

/// Scheduled work that can be cancelled until it has run.
@usableFromInline package protocol Alarm: AnyObject, Sendable {
    /// Whether the work has run or has been cancelled.
    var isOver: Bool { get }

    /// Cancels the work unless it has run, and releases it.
    func cancel()
}

/// The work of an alarm.
// The lock guards the closure. The caller that sets the alarm answers for what the closure touches.
package struct AlarmWork: ~Copyable, Sendable {
    // Package access, because the compiler (6.3.1) fails on a module that uses this type if it is private.
    package struct Closure: @unchecked Sendable {
        let run: () -> Void
    }

    package let work: Guarded<Closure?>

    package init(_ work: @escaping () -> Void) {
        self.work = Guarded(Closure(run: work))
    }

    /// Whether the closure has run or has been released.
    package var isOver: Bool { work.withLock { $0 == nil } }

    /// Runs the closure once, and releases it.
    ///
    /// - Returns: Whether this call ran it.
    package func run() -> Bool {
        let work = work.withLock { $0.take() }
        work?.run()
        return work != nil
    }

    /// Releases the closure.
    ///
    /// - Returns: Whether it was still to run.
    package func release() -> Bool {
        let work = work.withLock { $0.take() }
        return work != nil
    }
}

/// An alarm that its scheduler retains until the due time, without the work once it is cancelled.
private final class ForgetfulAlarm: Alarm {
    let work: AlarmWork

    init(_ work: @escaping () -> Void) { self.work = AlarmWork(work) }

    var isOver: Bool { work.isOver }

    func cancel() { _ = work.release() }
}

/// A scheduler that releases an alarm when it is cancelled.
package protocol AlarmScheduler: Scheduler {
    /// Runs work at a date unless the alarm has been cancelled by then.
    func setAlarm(at date: SchedulerTimeType, options: SchedulerOptions?, _ work: @escaping () -> Void) -> any Alarm
}

extension AlarmScheduler {
    /// The same, for a caller that doesn't know that these are the scheduler's types.
    fileprivate func setAlarmOfAny<Time, Options>(
        at date: Time, options: Options?, _ work: @escaping () -> Void
    ) -> (any Alarm)? {
        guard let date = date as? SchedulerTimeType, let options = options as? SchedulerOptions? else { return nil }
        return setAlarm(at: date, options: options, work)
    }
}

extension Scheduler {
    /// Runs work at a date unless the alarm has been cancelled by then.
    ///
    /// A scheduler without alarms of its own retains a cancelled one until its date, but not the work.
    @usableFromInline package func alarm(
        at date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ work: @escaping () -> Void
    ) -> any Alarm {
        if let scheduler = self as? any AlarmScheduler,
            let alarm = scheduler.setAlarmOfAny(at: date, options: options, work)
        {
            return alarm
        }
        let alarm = ForgetfulAlarm(work)
        schedule(after: date, tolerance: tolerance, options: options, serially { _ = alarm.work.run() })
        return alarm
    }
}
