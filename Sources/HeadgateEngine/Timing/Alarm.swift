import HeadgateCore

/// Work for a moment that is still to come, which may be called off.
@usableFromInline package protocol Alarm: AnyObject, Sendable {
    /// Whether the work has been done or called off.
    var isOver: Bool { get }

    /// Lets go of the work, unless it has been done.
    func callOff()
}

/// The work of an alarm.
// The closure is reached through the lock alone. What it touches is for whoever set the alarm to know; hence unchecked.
package struct AlarmWork: ~Copyable, Sendable {
    // Seen by the whole package, for the compiler (6.3.1) fails on a module that uses this type if it is private.
    package struct Closure: @unchecked Sendable {
        let run: () -> Void
    }

    package let work: Guarded<Closure?>

    package init(_ work: @escaping () -> Void) {
        self.work = Guarded(Closure(run: work))
    }

    /// Whether it has been done or let go of.
    package var isOver: Bool { work.withLock { $0 == nil } }

    /// Does it and lets go of it, unless that has happened.
    ///
    /// - Returns: Whether it was this call that did it.
    package func run() -> Bool {
        let work = work.withLock { $0.take() }
        work?.run()
        return work != nil
    }

    /// Lets go of it.
    ///
    /// - Returns: Whether it was still to be done.
    package func letGo() -> Bool {
        let work = work.withLock { $0.take() }
        return work != nil
    }
}

/// An alarm that its scheduler keeps until its moment, and nothing of the work when it was called off.
private final class ForgetfulAlarm: Alarm {
    let work: AlarmWork

    init(_ work: @escaping () -> Void) { self.work = AlarmWork(work) }

    var isOver: Bool { work.isOver }

    func callOff() { _ = work.letGo() }
}

/// A scheduler that forgets an alarm when it is called off.
package protocol AlarmScheduler: Scheduler {
    /// Does work at a moment, unless the alarm has been called off by then.
    func setAlarm(at date: SchedulerTimeType, options: SchedulerOptions?, _ work: @escaping () -> Void) -> any Alarm
}

extension AlarmScheduler {
    /// The same, for a caller that does not know the types to be those of this scheduler.
    fileprivate func setAlarmOfAny<Time, Options>(
        at date: Time, options: Options?, _ work: @escaping () -> Void
    ) -> (any Alarm)? {
        guard let date = date as? SchedulerTimeType, let options = options as? SchedulerOptions? else { return nil }
        return setAlarm(at: date, options: options, work)
    }
}

extension Scheduler {
    /// Does work at a moment, unless the alarm has been called off by then.
    ///
    /// A scheduler that knows nothing of alarms keeps one that was called off until its moment, but nothing of the work.
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
