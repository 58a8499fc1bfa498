import HeadgateCore

/// How often a failed attempt is made again, and how long to wait before each.
///
/// ```swift
/// let policy = RetryPolicy.exponential(initial: .milliseconds(100), retries: 4)
/// print(policy)
/// // 4 retries after 0.1 seconds times 2.0 each, at most 30.0 seconds, full jitter
///
/// var schedule = RetrySchedule(RetryPolicy.exponential(initial: .seconds(1), jitter: .none, retries: 3))
/// while let delay = schedule.next() { print(delay) }
/// // 1.0 seconds
/// // 2.0 seconds
/// // 4.0 seconds
/// ```
///
/// A policy is a value: it may be kept, compared, printed, and tried out by a ``RetrySchedule`` without a stream.
public struct RetryPolicy: Hashable, Sendable {
    /// How long to wait before an attempt, before jitter.
    public enum Backoff: Hashable, Sendable {
        /// The same time before each.
        case constant(Duration)

        /// First `initial`, then each time `factor` times as long, up to `cap`.
        case exponential(initial: Duration, factor: Double, cap: Duration)
    }

    /// How a delay is varied at random, so that clients which failed together do not come back together.
    ///
    /// The three kinds are those of Marc Brooker's "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015).
    public enum Jitter: Hashable, Sendable {
        /// Not at all.
        case none

        /// Anything from zero to the delay.
        case full

        /// Half of the delay, and anything from zero to the other half.
        case equal

        /// Anything from the first delay to three times the last one, up to the cap. The factor of the back-off is not used.
        case decorrelated
    }

    /// How many more attempts there may be in a row; `nil` for any number.
    public let retries: Int?

    /// How long to wait before an attempt, before jitter.
    public let backoff: Backoff

    /// How a delay is varied.
    public let jitter: Jitter

    /// How many values an attempt has to deliver for the count to begin anew; `nil` if values don't matter.
    public private(set) var valuesToReset: Int?

    /// How long an attempt has to last for the count to begin anew; `nil` if time does not matter.
    public private(set) var timeToReset: Duration?

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - retries: How many more attempts there may be in a row; `nil` for any number. A negative number traps.
    ///   - backoff: How long to wait. Negative times, a factor below one, and one that is no number trap.
    ///   - jitter: How a delay is varied.
    public init(retries: Int?, backoff: Backoff, jitter: Jitter = .none) {
        if let retries, retries < 0 {
            programmerError(
                rule: "The number of attempts can't be negative.", found: "\(retries) retries",
                remedy: "Pass zero to make no further attempt, or nil to go on for ever.")
        }
        backoff.check()
        self.retries = retries
        self.backoff = backoff
        self.jitter = jitter
    }

    /// Attempts without a pause between them.
    public static func immediate(retries: Int?) -> RetryPolicy {
        RetryPolicy(retries: retries, backoff: .constant(.zero))
    }

    /// Attempts with the same pause before each.
    public static func constant(_ delay: Duration, jitter: Jitter = .none, retries: Int?) -> RetryPolicy {
        RetryPolicy(retries: retries, backoff: .constant(delay), jitter: jitter)
    }

    /// Attempts with pauses that grow.
    ///
    /// - Parameters:
    ///   - initial: The first pause.
    ///   - factor: How much longer each is than the one before.
    ///   - cap: The longest pause.
    ///   - jitter: How a pause is varied.
    ///   - retries: How many more attempts there may be in a row; `nil` for any number.
    public static func exponential(
        initial: Duration, factor: Double = 2, cap: Duration = .seconds(30), jitter: Jitter = .full, retries: Int?
    ) -> RetryPolicy {
        RetryPolicy(
            retries: retries, backoff: .exponential(initial: initial, factor: factor, cap: cap), jitter: jitter)
    }

    /// The same, but an attempt that has delivered so many values begins the count and the back-off anew when it fails.
    ///
    /// - Parameter count: How many values: at least one, or it traps.
    public func resetting(afterValues count: Int) -> RetryPolicy {
        if count < 1 {
            programmerError(
                rule: "A policy that begins anew after a number of values needs one at the least.", found: "\(count)",
                remedy: "Pass a number above zero; to go on for ever, pass nil for retries.")
        }
        var policy = self
        policy.valuesToReset = count
        return policy
    }

    /// The same, but an attempt that has lasted so long begins the count and the back-off anew when it fails.
    ///
    /// - Parameter time: How long: more than zero, or it traps.
    public func resetting(after time: Duration) -> RetryPolicy {
        if time <= .zero {
            programmerError(
                rule: "A policy that begins anew after a time needs a time above zero.", found: "\(time)",
                remedy: "Pass a time above zero; to go on for ever, pass nil for retries.")
        }
        var policy = self
        policy.timeToReset = time
        return policy
    }
}

extension RetryPolicy.Backoff {
    /// Traps where no delay could be made of this.
    func check() {
        switch self {
        case .constant(let delay):
            if delay >= .zero { return }
        case .exponential(let initial, let factor, let cap):
            if initial >= .zero, cap >= .zero, factor >= 1, factor < .infinity { return }
        }
        programmerError(
            rule: "A back-off has times of zero or more, and a factor of one or more.", found: "\(self)",
            remedy: "Use RetryPolicy.immediate for no pause, and .constant for one that does not grow.")
    }
}

extension RetryPolicy: CustomStringConvertible {
    /// What the policy is, in words.
    public var description: String {
        var text = retries.map { "\($0) \($0 == 1 ? "retry" : "retries")" } ?? "any number of retries"
        switch backoff {
        case .constant(.zero): text += " at once"
        case .constant(let delay): text += " after \(delay) each"
        case .exponential(let initial, let factor, let cap):
            text += " after \(initial) times \(factor) each, at most \(cap)"
        }
        if jitter != .none { text += ", \(jitter) jitter" }
        if let valuesToReset { text += ", anew after \(valuesToReset) \(valuesToReset == 1 ? "value" : "values")" }
        if let timeToReset { text += ", anew after \(timeToReset)" }
        return text
    }
}
