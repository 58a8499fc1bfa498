import HeadgateCore

/// How hard threads are made to meet.
public struct StressEffort: Hashable, Sendable {
    /// How often everything is begun anew: once at the least.
    public var rounds: Int

    /// How many values an upstream, or each thread that sends into a subject, has in one round: one
    /// at the least.
    public var values: Int

    /// The seed of the first round.
    ///
    /// It decides what each thread does; in which order they get to it is up to the machine.
    public var seed: UInt64

    /// For how many thousandths of a second threads may wait for each other before that counts as a lock held: one at the
    /// least.
    ///
    /// No time passes where no lock is held.
    public var patience: Int

    /// Makes an effort of its parts.
    public init(rounds: Int = 60, values: Int = 40, seed: UInt64 = 1, patience: Int = 20_000) {
        self.rounds = rounds
        self.values = values
        self.seed = seed
        self.patience = patience
    }

    /// Takes well under a second.
    public static let normal = StressEffort()

    /// Takes some seconds.
    public static let thorough = StressEffort(rounds: 1000, values: 100)
}

extension StressEffort {
    /// The seed of each round.
    var seeds: [UInt64] {
        if min(rounds, values, patience) < 1 {
            programmerError(
                rule: "A stress test has one round, one value and a patience of one at the least.",
                found: "\(rounds) rounds, \(values) values, a patience of \(patience) ms",
                remedy: "Leave the defaults of StressEffort.")
        }
        return (0..<rounds).map { seed &+ UInt64($0) }
    }
}
