/// What the fleet has come to.
struct Report {
    var added = 0
    var processed = 0
    var repeated = 0
    var dead = 0
    var takenOver = 0
    var outOfOrder = 0
    var kills = 0
    var cuts = 0
    var crashes = 0
    /// How often the replica has become the master, because the master was killed or the sentinels were asked for it.
    var failovers = (killed: 0, asked: 0)
    /// How many entries have been added again, because no replica had confirmed them.
    var addedAgain = 0
    /// How much of the repeated work was on entries that were delivered for the first time.
    var anew = 0
    /// How many entries are acknowledged that nobody has worked on.
    var withoutWork = 0
    var handedOver = 0

    /// How many partitions each worker owns, by its name, how many have no owner, and how many entries wait in them.
    var owned: [Int] = []
    var withoutOwner = 0
    var waiting = 0

    /// What is pending for each worker, by its name, and the most that was pending for one.
    var pending: [Int] = []
    var mostPending = 0

    var lost: Int { added - processed - dead }

    /// - Parameter isPartitioned: Whether the entries are spread over partitions.
    func text(_ isPartitioned: Bool) -> String {
        let pending =
            isPartitioned ? "handed over        \(handedOver)" : "most pending       \(mostPending) for one worker"
        let failover =
            failovers.killed + failovers.asked == 0
            ? ""
            : """

            failovers          \(failovers.killed) of killed masters, \(failovers.asked) that the sentinels were asked for
            added again        \(addedAgain) that no replica had confirmed
            delivered anew     \(anew) of the repeated: added again, or unknown to the new master's group
            """
        return """
            workers killed     \(kills)
            connections cut    \(cuts)
            server killed      \(crashes)\(failover)
            taken over         \(takenOver)
            \(pending)
            out of order       \(outOfOrder)
            dead letters       \(dead)
            without work       \(withoutWork) acknowledged
            \(added) added, \(processed) processed at least once, \(repeated) repeated, \(lost) lost
            """
    }

    /// The progress in one line, as a part of so many entries.
    func line(of entries: Int) -> String {
        let width = 30
        let full = min(width, processed * width / max(1, entries))
        let bar = String(repeating: "█", count: full) + String(repeating: "·", count: width - full)
        let pending = pending.map { "\($0)" }.joined(separator: " ")
        if !owned.isEmpty {
            let owners =
                owned.map { "\($0)" }.joined(separator: " ") + (withoutOwner > 0 ? ", \(withoutOwner) free" : "")
            return "\(bar) \(processed) of \(added), owned \(owners), \(waiting) behind, \(handedOver) handed over, "
                + "\(takenOver) taken over, \(repeated) repeated, \(dead) dead letters"
        }
        return "\(bar) \(processed) of \(added), pending \(pending), \(takenOver) taken over, \(repeated) repeated, "
            + "\(dead) dead letters"
    }
}
