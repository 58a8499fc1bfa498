import HeadgateCore

/// A clock with timers of its own: work on it needs no task that sleeps.
@usableFromInline package protocol AlarmClock: Clock where Duration == Swift.Duration {
    /// Runs work as soon as possible.
    func run(_ work: @escaping () -> Void)

    /// Runs work at a time unless the alarm has been cancelled by then.
    func setAlarm(at date: Instant, _ work: @escaping () -> Void) -> any Alarm
}

extension Scheduler {
    /// Sleeps until a time on the scheduler's clock.
    package func sleep(until date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride) async throws {
        try Task.checkCancellation()
        let sleep = Sleep()
        let alarm = alarm(at: date, tolerance: tolerance, options: nil) {
            sleep.isComplete.withLock { $0 = true }
            sleep.end.open()
        }
        await withTaskCancellationHandler {
            await sleep.end.wait()
        } onCancel: {
            alarm.cancel()
            sleep.end.open()
        }
        if !sleep.isComplete.withLock({ $0 }) { throw CancellationError() }
    }
}

/// The sleep of a task, until an alarm or its cancellation ends it, whichever comes first.
private final class Sleep: Sendable {
    let end = Latch()

    /// Whether the alarm has gone off.
    let isComplete = Guarded(false)
}
