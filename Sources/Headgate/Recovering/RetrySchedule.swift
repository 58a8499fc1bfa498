/// The delays of a ``RetryPolicy``, one after the other: the state of one retrying stream.
///
/// ```swift
/// var schedule = RetrySchedule(.constant(.seconds(1), retries: 2))
/// print(schedule.next() as Any, schedule.next() as Any, schedule.next() as Any)
/// // Optional(1.0 seconds) Optional(1.0 seconds) nil
/// ```
public struct RetrySchedule: Sendable {
    /// How often to retry, and after what delays.
    public let policy: RetryPolicy

    /// The number of delays since the beginning or the last ``reset()``.
    public private(set) var retries = 0

    private var lastDelay: Double?

    /// Creates a schedule that begins with the first delay.
    public init(_ policy: RetryPolicy) {
        self.policy = policy
    }

    /// The delay before the next attempt; `nil` if there is none.
    public mutating func next() -> Duration? {
        var generator = SystemRandomNumberGenerator()
        return next(using: &generator)
    }

    /// The delay before the next attempt; `nil` if there is none.
    ///
    /// - Parameter generator: The source of the jitter: one number is drawn for each delay with jitter.
    public mutating func next(using generator: inout some RandomNumberGenerator) -> Duration? {
        if let limit = policy.retries, retries >= limit { return nil }
        retries += 1
        let (initial, base, cap) = policy.backoff.nanoseconds(beforeRetry: retries)
        let delay: Double
        switch policy.jitter {
        case .none: delay = base
        case .full: delay = base * generator.fraction()
        case .equal: delay = base / 2 + base / 2 * generator.fraction()
        case .decorrelated:
            let longest = Swift.max(initial, (lastDelay ?? initial) * 3)
            delay = Swift.min(cap, initial + (longest - initial) * generator.fraction())
        }
        lastDelay = delay
        return .nanoseconds(Int64(delay.rounded()))
    }

    /// Begins again with the first delay, after an attempt that went well for long enough.
    public mutating func reset() {
        retries = 0
        lastDelay = nil
    }
}

extension RetryPolicy.Backoff {
    /// A century: longer than any useful delay.
    private static let longest = 3.1536e18

    /// The first delay, the delay before an attempt, and the longest one, without jitter.
    fileprivate func nanoseconds(beforeRetry number: Int) -> (initial: Double, base: Double, cap: Double) {
        switch self {
        case .constant(let delay):
            let delay = Self.nanoseconds(delay)
            return (delay, delay, Self.longest)
        case .exponential(let initial, let factor, let cap):
            let cap = Self.nanoseconds(cap)
            let initial = Swift.min(Self.nanoseconds(initial), cap)
            if initial == 0 { return (0, 0, cap) }
            return (initial, Swift.min(cap, initial * Self.power(factor, number - 1)), cap)
        }
    }

    private static func nanoseconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Swift.min(longest, Double(seconds) * 1e9 + Double(attoseconds) / 1e9)
    }

    /// Takes time proportional to the logarithm of the exponent.
    private static func power(_ base: Double, _ exponent: Int) -> Double {
        var result = 1.0
        var square = base
        var remaining = exponent
        while remaining > 0 {
            if !remaining.isMultiple(of: 2) { result *= square }
            square *= square
            remaining /= 2
        }
        return result
    }
}

extension RandomNumberGenerator {
    /// A number from zero up to, but not including, one.
    ///
    /// It draws one number and rejects none: a source that always returns the same number does not hang its user, as it
    /// would in `Double.random(in:using:)`.
    fileprivate mutating func fraction() -> Double { Double(next() as UInt64 >> 11) * 0x1p-53 }
}
