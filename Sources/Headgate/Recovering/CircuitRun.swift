import HeadgateCombine
import HeadgateCore

/// A run that a circuit breaker has admitted, and the outcome that it reports.
@usableFromInline final class CircuitRun {
    private let breaker: CircuitBreaker

    private let admission: Int

    /// Whether the run has succeeded or was cancelled, whichever happened first.
    private let isDecided = Guarded(false)

    // Both are confined to upstream's deliveries, which are serial.
    private var ticket: Int
    private var missingValues: Int

    @usableFromInline init(_ breaker: CircuitBreaker, _ ticket: Int) {
        self.breaker = breaker
        self.ticket = ticket
        admission = ticket
        missingValues = breaker.policy.values ?? 0
    }

    private func decide() -> Bool {
        isDecided.withLock { isDecided in
            defer { isDecided = true }
            return !isDecided
        }
    }

    /// Counts a value, which may be the one that makes the run a success.
    @usableFromInline func receiveValue() {
        if missingValues == 0 { return }
        missingValues -= 1
        if missingValues == 0, decide() { ticket = breaker.succeed(admission) }
    }

    /// Reports the outcome; of a run that has succeeded by its values, only a failure counts.
    @usableFromInline func end(_ outcome: Circuit.Outcome) {
        if decide() || outcome == .failed { breaker.end(ticket, outcome) }
    }

    @usableFromInline func cancel() {
        if decide() { breaker.end(admission, .neutral) }
    }
}
