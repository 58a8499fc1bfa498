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
        let sleeper = AwaitedSubscriber<Void, any Error>(.first(1))
        let alarm = alarm(at: date, tolerance: tolerance, options: nil) { _ = sleeper.receive(()) }
        sleeper.receive(subscription: OnceConduit(name: "Sleep", leave: { _ in alarm.cancel() }))
        _ = try await sleeper.values()
    }
}
