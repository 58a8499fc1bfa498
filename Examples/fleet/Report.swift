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

    /// What is pending for each worker, by its name, and the most that was pending for one.
    var pending: [Int] = []
    var mostPending = 0

    var lost: Int { added - processed - dead }

    var text: String {
        """
        workers killed     \(kills)
        connections cut    \(cuts)
        server killed      \(crashes)
        taken over         \(takenOver)
        most pending       \(mostPending) for one worker
        out of order       \(outOfOrder)
        dead letters       \(dead)
        \(added) added, \(processed) processed at least once, \(repeated) repeated, \(lost) lost
        """
    }

    /// The progress in one line, as a part of so many entries.
    func line(of entries: Int) -> String {
        let width = 30
        let full = min(width, processed * width / max(1, entries))
        let bar = String(repeating: "█", count: full) + String(repeating: "·", count: width - full)
        let pending = pending.map { "\($0)" }.joined(separator: " ")
        return "\(bar) \(processed) of \(added), pending \(pending), \(takenOver) taken over, \(repeated) repeated, "
            + "\(dead) dead letters"
    }
}
