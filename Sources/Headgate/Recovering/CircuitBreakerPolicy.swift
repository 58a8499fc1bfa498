import HeadgateCore

/// When a circuit breaker opens, for how long, and what closes it again.
///
/// ```swift
/// print(CircuitBreakerPolicy(failures: 3, openFor: .seconds(10)))
/// // opens after 3 failures in a row for 10.0 seconds, closes after 1 success
/// ```
public struct CircuitBreakerPolicy: Hashable, Sendable {
    /// How many runs in a row have to fail for the breaker to open.
    public let failures: Int

    /// How long it stays open before a run is tried again.
    public let openFor: Duration

    /// How many trial runs in a row have to succeed for it to close.
    public let successes: Int

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - failures: How many runs in a row have to fail: at least one.
    ///   - openFor: How long the breaker stays open; not negative.
    ///   - successes: How many trial runs in a row have to succeed: at least one. Other numbers trap.
    public init(failures: Int = 5, openFor: Duration = .seconds(30), successes: Int = 1) {
        if failures < 1 || successes < 1 || openFor < .zero {
            programmerError(
                rule:
                    "A circuit breaker counts one failure and one success at the least, and opens for no negative time.",
                found: "\(failures) failures, \(successes) successes, open for \(openFor)",
                remedy: "Pass numbers above zero; leave the operator out where nothing is to be rejected.")
        }
        self.failures = failures
        self.openFor = openFor
        self.successes = successes
    }
}

extension CircuitBreakerPolicy: CustomStringConvertible {
    /// What the policy is, in words.
    public var description: String {
        "opens after \(failures) \(failures == 1 ? "failure" : "failures in a row") for \(openFor), "
            + "closes after \(successes) \(successes == 1 ? "success" : "successes in a row")"
    }
}

/// Whether a circuit breaker lets runs begin.
public enum CircuitState: Hashable, Sendable, CaseIterable {
    /// Runs begin.
    case closed

    /// Runs are rejected.
    case open

    /// One run at a time is tried, and others are rejected.
    case halfOpen
}

/// The failure of a run that a circuit breaker has rejected.
public struct CircuitOpen: Error, Hashable, Sendable {
    /// What the breaker is called.
    public let name: String

    /// Makes the failure.
    public init(name: String) { self.name = name }
}

extension CircuitOpen: CustomStringConvertible {
    /// What has happened, in words.
    public var description: String { name.isEmpty ? "the circuit is open" : "the circuit of \(name) is open" }
}

/// The state of a circuit breaker and the rules by which it changes, apart from streams and clocks.
///
/// Moments are lengths of time since the breaker was made.
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
    /// How a run went.
    public enum Outcome: Hashable, Sendable {
        /// It has done its work.
        case succeeded

        /// It has failed.
        case failed

        /// It was cancelled, or failed in a way that says nothing about the service.
        case neutral
    }

    /// What decides.
    public let policy: CircuitBreakerPolicy

    /// Whether runs begin.
    public private(set) var state = CircuitState.closed

    private var failures = 0
    private var successes = 0
    private var openUntil = Duration.zero

    /// The run that is being tried while half open.
    private var trial: Int?

    /// Counts the times that the state has changed: a run of an earlier time has no say.
    private var term = 0

    /// Makes a circuit that is closed.
    public init(_ policy: CircuitBreakerPolicy) { self.policy = policy }

    /// Asks to begin a run.
    ///
    /// - Returns: What to say at its end; `nil` if it is rejected.
    public mutating func admit(at moment: Duration) -> Int? {
        switch state {
        case .closed:
            return term
        case .open:
            if moment < openUntil { return nil }
            change(to: .halfOpen)
            trial = term
            return term
        case .halfOpen:
            if trial != nil { return nil }
            trial = term
            return term
        }
    }

    /// Hears that a run has ended.
    ///
    /// - Parameters:
    ///   - ticket: What ``admit(at:)`` has returned for it.
    ///   - outcome: How it has ended.
    ///   - moment: When it has ended.
    public mutating func end(_ ticket: Int, _ outcome: Outcome, at moment: Duration) {
        if ticket != term { return }
        trial = nil
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
        case (.open, _), (_, .neutral):
            break
        }
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
        trial = nil
    }
}
