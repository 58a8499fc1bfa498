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
        sleeper.receive(subscription: makeSubscription(to: alarm))
        _ = try await sleeper.values()
    }
}

/// A subscription that is to be cancelled as an alarm is.
// Not inlined: as soon as one caller in this module knew the type of a subscription that it passes to be kept, the compiler would have all
// callers of all modules open a box.
@inline(never) private func makeSubscription(to alarm: any Alarm) -> any Subscription {
    OnceConduit(name: "Sleep", leave: { _ in alarm.cancel() })
}
