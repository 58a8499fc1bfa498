import HeadgateCore
import HeadgateTesting

/// How much work a stress test does.
public struct StressEffort: Hashable, Sendable {
    /// The number of rounds: at least one.
    public var rounds: Int

    /// The number of values per round of an upstream, or of each thread that sends into a subject: at least one.
    public var values: Int

    /// The seed of the first round.
    ///
    /// It determines the actions of each thread; the order in which they run is up to the machine.
    public var seed: UInt64

    /// The number of milliseconds that threads may wait for each other before that counts as a lock held: at least one.
    ///
    /// Nothing waits that long unless a lock is held.
    public var timeout: Int

    /// Creates an effort.
    public init(rounds: Int = 60, values: Int = 40, seed: UInt64 = 1, timeout: Int = 20_000) {
        self.rounds = rounds
        self.values = values
        self.seed = seed
        self.timeout = timeout
    }

    /// Takes well under a second.
    public static let normal = StressEffort()

    /// Takes some seconds.
    public static let thorough = StressEffort(rounds: 1000, values: 100)
}

extension StressEffort {
    /// The seed of each round.
    var seeds: [UInt64] {
        require(
            min(rounds, values, timeout) >= 1,
            rule: "A stress test has at least one round, one value and a timeout of one millisecond.",
            found: "\(rounds) rounds, \(values) values, a timeout of \(timeout) ms",
            remedy: "Leave the defaults of StressEffort.")
        return (0..<rounds).map { seed &+ UInt64($0) }
    }
}
