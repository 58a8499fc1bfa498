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
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let alarm = alarm(at: date, tolerance: tolerance, options: nil) { sleeper.wake(.success(())) }
                if let result = sleeper.fallAsleep(continuation, alarm: alarm) {
                    alarm.cancel()
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            sleeper.wake(.failure(CancellationError()))
        }
    }
}

/// A task that sleeps until an alarm or its cancellation wakes it, whichever comes first.
private final class Sleeper: Sendable {
    private enum State: Sendable {
        case awake
        case asleep(CheckedContinuation<Void, any Error>, alarm: any Alarm)
        case woken(Result<Void, any Error>)
    }

    private let state = Guarded(State.awake)

    /// - Returns: The result to resume with immediately, if it was woken before.
    func fallAsleep(
        _ continuation: CheckedContinuation<Void, any Error>, alarm: any Alarm
    ) -> Result<Void, any Error>? {
        state.withLock {
            if case .woken(let result) = $0 { return result }
            $0 = .asleep(continuation, alarm: alarm)
            return nil
        }
    }

    func wake(_ result: Result<Void, any Error>) {
        let old = state.withLock {
            let old = $0
            if case .woken = old { return old }
            $0 = .woken(result)
            return old
        }
        guard case .asleep(let continuation, let alarm) = old else { return }
        alarm.cancel()
        continuation.resume(with: result)
    }
}
