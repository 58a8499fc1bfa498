/// How often to retry after a failure, and how long to wait before each attempt.
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
/// A policy is a value: it can be stored, compared, printed, and tried with a ``RetrySchedule`` without a stream.
public struct RetryPolicy: Hashable, Sendable {
    /// How long to wait before an attempt, before jitter.
    public enum Backoff: Hashable, Sendable {
        /// The same delay before each.
        case constant(Duration)

        /// First `initial`, then each time `factor` times as long, up to `cap`.
        case exponential(initial: Duration, factor: Double, cap: Duration)
    }

    /// How a delay is randomised, so that clients that failed together do not retry together.
    ///
    /// The three kinds are those of Marc Brooker's "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015).
    public enum Jitter: Hashable, Sendable {
        /// No jitter.
        case none

        /// A random delay from zero to the full one.
        case full

        /// Half of the delay, plus a random time from zero to the other half.
        case equal

        /// A random time from the first delay to three times the previous one, up to the cap. The factor of the backoff
        /// is not used.
        case decorrelated
    }

    /// The maximum number of consecutive retries; `nil` for no limit.
    public let retries: Int?

    /// How long to wait before an attempt, before jitter.
    public let backoff: Backoff

    /// How a delay is randomised.
    public let jitter: Jitter

    /// How many values an attempt has to deliver to reset the policy; `nil` if values don't count.
    public private(set) var valuesToReset: Int?

    /// How long an attempt has to last to reset the policy; `nil` if time does not count.
    public private(set) var timeToReset: Duration?

    /// How long after the first attempt another may begin; `nil` for no limit.
    public private(set) var timeToGiveUp: Duration?

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - retries: The maximum number of consecutive retries; `nil` for no limit. A negative number traps.
    ///   - backoff: How long to wait. Negative times, and a factor that is below one or not a number, trap.
    ///   - jitter: How a delay is randomised.
    public init(retries: Int?, backoff: Backoff, jitter: Jitter = .none) {
        let limit = retries ?? .max
        require(
            limit >= 0, rule: "The number of attempts can't be negative.", found: "\(limit) retries",
            remedy: "Pass zero for no further attempt, or nil for any number.")
        backoff.check()
        self.retries = retries
        self.backoff = backoff
        self.jitter = jitter
    }

    /// Retries without a delay.
    public static func immediate(retries: Int?) -> RetryPolicy {
        RetryPolicy(retries: retries, backoff: .constant(.zero))
    }

    /// Retries with the same delay before each attempt.
    public static func constant(_ delay: Duration, jitter: Jitter = .none, retries: Int?) -> RetryPolicy {
        RetryPolicy(retries: retries, backoff: .constant(delay), jitter: jitter)
    }

    /// Retries with growing delays.
    ///
    /// - Parameters:
    ///   - initial: The first delay.
    ///   - factor: The ratio of each delay to the previous one.
    ///   - cap: The longest delay.
    ///   - jitter: How a delay is randomised.
    ///   - retries: The maximum number of consecutive retries; `nil` for no limit.
    public static func exponential(
        initial: Duration, factor: Double = 2, cap: Duration = .seconds(30), jitter: Jitter = .full, retries: Int?
    ) -> RetryPolicy {
        RetryPolicy(
            retries: retries, backoff: .exponential(initial: initial, factor: factor, cap: cap), jitter: jitter)
    }

    /// Returns a policy whose count and backoff reset when an attempt fails after it has delivered `count` values.
    ///
    /// - Parameter count: The number of values: at least one; traps otherwise.
    public func resetting(afterValues count: Int) -> RetryPolicy {
        require(
            count > 0, rule: "A retry policy resets after at least one value.", found: "\(count)",
            remedy: "Pass a number above zero, or retries: nil for unlimited retries.")
        var policy = self
        policy.valuesToReset = count
        return policy
    }

    /// Returns a policy whose count and backoff reset when an attempt fails after it has lasted for `time`.
    ///
    /// - Parameter time: The duration: more than zero; traps otherwise.
    public func resetting(after time: Duration) -> RetryPolicy {
        require(
            time > .zero, rule: "A retry policy resets after a time above zero.", found: "\(time)",
            remedy: "Pass a time above zero, or retries: nil for unlimited retries.")
        var policy = self
        policy.timeToReset = time
        return policy
    }

    /// Returns a policy by which no attempt begins later than a time after the first one, or after the last reset.
    ///
    /// The stream then fails with the last failure, as soon as the next attempt would begin too late. An attempt that is
    /// under way isn't interrupted: put `timeout` before `retry` for that.
    ///
    /// ```swift
    /// print(RetryPolicy.constant(.seconds(1), retries: nil).within(.seconds(60)))
    /// // any number of retries after 1.0 seconds each, within 60.0 seconds
    /// ```
    ///
    /// - Parameter time: The total time: zero or more; traps otherwise.
    public func within(_ time: Duration) -> RetryPolicy {
        require(
            time >= .zero, rule: "The total time of a retry policy can't be negative.", found: "\(time)",
            remedy: "Pass .zero for no retry after a delay, or leave within(_:) out for any time.")
        var policy = self
        policy.timeToGiveUp = time
        return policy
    }
}

extension RetryPolicy.Backoff {
    /// Traps if no delay can be computed from this.
    func check() {
        switch self {
        case .constant(let delay):
            if delay >= .zero { return }
        case .exponential(let initial, let factor, let cap):
            if initial >= .zero, cap >= .zero, factor >= 1, factor < .infinity { return }
        }
        programmerError(
            rule: "A backoff can't have negative times, and its factor must be at least one.", found: "\(self)",
            remedy: "Use RetryPolicy.immediate for no delay, or .constant for one that does not grow.")
    }
}

extension RetryPolicy: CustomStringConvertible {
    /// The policy as text.
    public var description: String {
        var text = retries.map { "\($0) \($0 == 1 ? "retry" : "retries")" } ?? "any number of retries"
        switch backoff {
        case .constant(.zero): text += " at once"
        case .constant(let delay): text += " after \(delay) each"
        case .exponential(let initial, let factor, let cap):
            text += " after \(initial) times \(factor) each, at most \(cap)"
        }
        if jitter != .none { text += ", \(jitter) jitter" }
        if let timeToGiveUp { text += ", within \(timeToGiveUp)" }
        if let valuesToReset { text += ", anew after \(valuesToReset) \(valuesToReset == 1 ? "value" : "values")" }
        if let timeToReset { text += ", anew after \(timeToReset)" }
        return text
    }
}
