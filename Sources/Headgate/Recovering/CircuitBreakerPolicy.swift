/// When a circuit breaker opens, for how long, and what closes it again.
///
/// ```swift
/// print(CircuitBreakerPolicy(failures: 3, openFor: .seconds(10)))
/// // opens after 3 failures in a row for 10.0 seconds, closes after 1 success
/// ```
public struct CircuitBreakerPolicy: Hashable, Sendable {
    /// How many consecutive runs have to fail for the breaker to open.
    public let failures: Int

    /// How long it stays open before it tries a run again.
    public let openFor: Duration

    /// How many consecutive trial runs have to succeed for it to close.
    public let successes: Int

    /// After how many values an unfinished run counts as a success; `nil` if it has to finish.
    public let values: Int?

    /// How many runs are tried at a time while the breaker is half open.
    public let trials: Int

    /// How long a cancelled run must have been without a value to count as failed; `nil` if a cancelled run does not
    /// count.
    public let silence: Duration?

    /// Creates a policy; values out of range trap.
    ///
    /// - Parameters:
    ///   - failures: How many consecutive runs have to fail: at least one.
    ///   - openFor: How long the breaker stays open; not negative.
    ///   - successes: How many consecutive trial runs have to succeed: at least one.
    ///   - values: After how many values a run has succeeded: at least one. Without it, a run has to finish, so a trial
    ///     of a stream that never does leaves the breaker half open.
    ///   - trials: How many runs are tried at a time while the breaker is half open: at least one. Streams that make
    ///     several runs at once, and fail with any of them, need as many; see ``CircuitBreaker``.
    ///   - silence: How long a run has to have been without a value, since it began, for it to count as failed when it is
    ///     cancelled, as by a `timeout` further down; not negative. By default, a cancelled run does not count.
    public init(
        failures: Int = 5, openFor: Duration = .seconds(30), successes: Int = 1, values: Int? = nil, trials: Int = 1,
        silence: Duration? = nil
    ) {
        require(
            failures > 0 && successes > 0 && trials > 0 && openFor >= .zero && values ?? 1 > 0
                && silence ?? .zero >= .zero,
            rule: "A circuit breaker needs at least one failure, one success and one trial, and can't open for a "
                + "negative time.",
            found: "\(failures) failures, \(successes) successes, \(trials) trials, open for \(openFor)"
                + (values.map { ", \($0) values" } ?? "") + (silence.map { ", a silence of \($0)" } ?? ""),
            remedy: "Pass numbers above zero, or remove the operator to reject nothing.")
        self.failures = failures
        self.openFor = openFor
        self.successes = successes
        self.values = values
        self.trials = trials
        self.silence = silence
    }
}

extension CircuitBreakerPolicy: CustomStringConvertible {
    /// The policy as text.
    public var description: String {
        "opens after \(failures) \(failures == 1 ? "failure" : "failures in a row") for \(openFor), "
            + "closes after \(successes) \(successes == 1 ? "success" : "successes in a row")"
            + (values.map { "; a run succeeds after \($0) \($0 == 1 ? "value" : "values")" } ?? "")
            + (trials == 1 ? "" : "; tries \(trials) runs at a time")
            + (silence.map { "; a run fails if cancelled after \($0) without a value" } ?? "")
    }
}

/// The state of a circuit breaker.
public enum CircuitState: Hashable, Sendable, CaseIterable {
    /// Runs begin.
    case closed

    /// Runs are rejected.
    case open

    /// One run at a time is tried, or as many as the policy says, and others are rejected.
    case halfOpen
}

/// The failure of a run that a circuit breaker has rejected.
public struct CircuitOpen: Error, Hashable, Sendable {
    /// The name of the breaker.
    public let name: String

    /// Creates the failure.
    public init(name: String) { self.name = name }
}

extension CircuitOpen: CustomStringConvertible {
    /// The failure as text.
    public var description: String { name.isEmpty ? "the circuit is open" : "the circuit of \(name) is open" }
}

/// The state of a circuit breaker and the rules by which it changes, without streams and clocks.
///
/// Moments are durations since the creation of the breaker.
///
/// ```swift
/// var circuit = Circuit(CircuitBreakerPolicy(failures: 1, openFor: .seconds(10)))
/// print(circuit.admit(at: .zero) as Any)
/// // Optional(0)
/// circuit.end(0, .failed, at: .zero)
/// print(circuit.state, circuit.admit(at: .seconds(9)) as Any)
/// // open nil
/// print(circuit.admit(at: .seconds(10)) as Any, circuit.state)
/// // Optional(2) halfOpen
/// ```
public struct Circuit: Sendable {
    /// The outcome of a run.
    public enum Outcome: Hashable, Sendable {
        /// It has succeeded.
        case succeeded

        /// It has failed.
        case failed

        /// It was cancelled, or failed in a way that does not count against the service.
        case neutral
    }

    /// When the circuit opens and closes.
    public let policy: CircuitBreakerPolicy

    /// Whether runs begin.
    public private(set) var state = CircuitState.closed

    private var failures = 0
    private var successes = 0
    private var openUntil = Duration.zero

    /// How many runs are being tried while half open.
    private var trials = 0

    /// How many may be tried at a time.
    private var places: Int

    /// Whether a run has been rejected since the last trial began.
    private var hasRejected = false

    /// The number of state changes: runs that began before the last one are ignored.
    private var term = 0

    /// Creates a closed circuit.
    public init(_ policy: CircuitBreakerPolicy) {
        self.policy = policy
        places = policy.trials
    }

    /// Admits or rejects a run.
    ///
    /// - Returns: The ticket to pass at its end; `nil` if it is rejected.
    public mutating func admit(at moment: Duration) -> Int? {
        switch state {
        case .closed:
            return term
        case .open:
            if moment < openUntil { return nil }
            change(to: .halfOpen)
            return beginTrial()
        case .halfOpen:
            if trials < places { return beginTrial() }
            hasRejected = true
            return nil
        }
    }

    private mutating func beginTrial() -> Int {
        trials += 1
        hasRejected = false
        return term
    }

    /// Records the outcome of a run.
    ///
    /// - Parameters:
    ///   - ticket: The result of ``admit(at:)`` for the run.
    ///   - outcome: The outcome of the run.
    ///   - moment: When the run ended.
    public mutating func end(_ ticket: Int, _ outcome: Outcome, at moment: Duration) {
        if ticket != term { return }
        trials = max(0, trials - 1)
        switch (state, outcome) {
        case (.closed, .succeeded):
            failures = 0
        case (.closed, .failed):
            failures += 1
            if failures >= policy.failures { open(at: moment) }
        case (.halfOpen, .succeeded):
            successes += 1
            if successes >= policy.successes { change(to: .closed) }
        case (.halfOpen, .failed):
            open(at: moment)
        case (.halfOpen, .neutral):
            // The rejection may have cancelled the trial, and would do so again.
            if hasRejected { places = places.multipliedReportingOverflow(by: 2).overflow ? places : places * 2 }
            hasRejected = false
        case (.open, _), (.closed, .neutral):
            break
        }
    }

    /// Records that a run has succeeded, and goes on.
    ///
    /// - Parameter ticket: The result of ``admit(at:)`` for the run.
    /// - Returns: The ticket to pass if it fails later; nothing else about it counts any more.
    public mutating func succeed(_ ticket: Int) -> Int {
        if ticket != term { return ticket }
        end(ticket, .succeeded, at: .zero)
        return term
    }

    private mutating func open(at moment: Duration) {
        change(to: .open)
        openUntil = moment + policy.openFor
    }

    private mutating func change(to state: CircuitState) {
        self.state = state
        term += 1
        failures = 0
        successes = 0
        trials = 0
        places = policy.trials
        hasRejected = false
    }
}
