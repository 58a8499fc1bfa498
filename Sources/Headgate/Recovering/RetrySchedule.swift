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

    /// The previous delay without jitter, in nanoseconds.
    private var lastBase: Double?

    /// The previous delay, in nanoseconds.
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
        let (initial, factor, cap) = policy.backoff.inNanoseconds
        let base = Swift.min(cap, lastBase.map { $0 * factor } ?? initial)
        let delay: Double
        switch policy.jitter {
        case .none: delay = base
        case .full: delay = base * generator.fraction()
        case .equal: delay = base / 2 + base / 2 * generator.fraction()
        case .decorrelated:
            let longest = Swift.max(initial, (lastDelay ?? initial) * 3)
            delay = Swift.min(cap, initial + (longest - initial) * generator.fraction())
        }
        (lastBase, lastDelay) = (base, delay)
        return .nanoseconds(Int64(delay.rounded()))
    }

    /// Begins again with the first delay, after an attempt that went well for long enough.
    public mutating func reset() {
        retries = 0
        (lastBase, lastDelay) = (nil, nil)
    }
}

extension RetryPolicy.Backoff {
    /// A century: longer than any useful delay.
    private static let longest = 3.1536e18

    /// The first delay, the ratio of each delay to the previous one, and the longest, without jitter.
    fileprivate var inNanoseconds: (initial: Double, factor: Double, cap: Double) {
        switch self {
        case .constant(let delay):
            return (Self.nanoseconds(delay), 1, Self.longest)
        case .exponential(let initial, let factor, let cap):
            let cap = Self.nanoseconds(cap)
            return (Swift.min(Self.nanoseconds(initial), cap), factor, cap)
        }
    }

    private static func nanoseconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Swift.min(longest, Double(seconds) * 1e9 + Double(attoseconds) / 1e9)
    }
}

extension RandomNumberGenerator {
    /// A number from zero up to, but not including, one.
    ///
    /// It draws one number and rejects none: a source that always returns the same number does not hang its user, as it
    /// would in `Double.random(in:using:)`.
    fileprivate mutating func fraction() -> Double { Double(next() as UInt64 >> 11) * 0x1p-53 }
}
