import Synchronization

/// A run that a circuit breaker has admitted, and the outcome that it reports.
@usableFromInline final class CircuitRun {
    private let breaker: CircuitBreaker

    private let admission: Int

    /// Whether the run has succeeded or was cancelled, whichever happened first.
    private let isDecided = Atomic(false)

    // Both are confined to upstream's deliveries, which are serial.
    private var ticket: Int
    private var missingValues: Int

    /// When the run began, if it fails by a silence.
    private let beginning: Duration?

    private let hasValue = Atomic(false)

    @usableFromInline init(_ breaker: CircuitBreaker, _ ticket: Int) {
        self.breaker = breaker
        self.ticket = ticket
        admission = ticket
        missingValues = breaker.policy.values ?? 0
        beginning = breaker.policy.silence == nil ? nil : breaker.elapsed()
    }

    // Nobody is left who could report an outcome, and the place of a trial is free again.
    deinit { cancel() }

    /// Whether values matter to the outcome.
    @usableFromInline var countsValues: Bool { beginning != nil || missingValues > 0 }

    private func decide() -> Bool { !isDecided.exchange(true, ordering: .acquiringAndReleasing) }

    /// Counts a value, which may be the one that makes the run a success.
    @usableFromInline func receiveValue() {
        if beginning != nil { hasValue.store(true, ordering: .relaxed) }
        if missingValues == 0 { return }
        missingValues -= 1
        if missingValues == 0, decide() { ticket = breaker.succeed(admission) }
    }

    /// Reports the outcome; of a run that has succeeded by its values, only a failure counts.
    @usableFromInline func end(_ outcome: Circuit.Outcome) {
        if decide() || outcome == .failed { breaker.end(ticket, outcome) }
    }

    @usableFromInline func cancel() {
        if decide() { breaker.end(admission, hasBeenSilent ? .failed : .neutral) }
    }

    /// Whether the run has been without a value for so long that it counts as failed when it is cancelled.
    private var hasBeenSilent: Bool {
        guard let beginning, let silence = breaker.policy.silence, !hasValue.load(ordering: .relaxed) else {
            return false
        }
        return breaker.elapsed() - beginning >= silence
    }
}
