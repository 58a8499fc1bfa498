import HeadgateEngine

/// The pending work of a test scheduler.
///
/// Scheduling, running and cancelling cost O(log n) for n pieces of work.
struct Agenda {
    private struct Work {
        var entry: TestScheduler.Unfinished
        let action: () -> Void
    }

    /// When a piece of work runs: by date, and for one date in the order of scheduling.
    private struct Turn: Comparable {
        let date: TestTime
        let number: Int

        static func < (lhs: Turn, rhs: Turn) -> Bool { (lhs.date, lhs.number) < (rhs.date, rhs.number) }
    }

    var now = TestTime.zero

    private var work: [Int: Work] = [:]

    // Turns of cancelled work stay until they come up.
    private var turns = AlarmHeap<Turn, Void>()

    private(set) var scheduledCount = 0

    var isEmpty: Bool { work.isEmpty }

    func contains(_ number: Int) -> Bool { work[number] != nil }

    var unfinished: [TestScheduler.Unfinished] {
        work.sorted { ($0.value.entry.date, $0.key) < ($1.value.entry.date, $1.key) }.map(\.value.entry)
    }

    /// - Returns: The number with which the work can be removed.
    mutating func insert(_ entry: TestScheduler.Unfinished, action: @escaping () -> Void) -> Int {
        scheduledCount += 1
        insert(Work(entry: entry, action: action), number: scheduledCount, date: max(entry.date, now))
        return scheduledCount
    }

    private mutating func insert(_ piece: Work, number: Int, date: TestTime) {
        var piece = piece
        piece.entry.date = date
        work[number] = piece
        turns.insert((), at: Turn(date: date, number: number))
    }

    /// Removes a piece of work.
    ///
    /// - Returns: The work, to be released outside any lock.
    mutating func remove(_ number: Int) -> (() -> Void)? { work.removeValue(forKey: number)?.action }

    /// Moves the clock to the next piece of work, if that is due by the goal.
    ///
    /// Repeated work is rescheduled before it runs, so that it can be cancelled from inside.
    ///
    /// - Returns: The work to run.
    mutating func next(until goal: TestTime?) -> (() -> Void)? {
        while let turn = turns.date {
            if let goal, turn.date > goal { return nil }
            turns.removeFirst()
            guard let piece = work.removeValue(forKey: turn.number) else { continue }
            now = max(now, turn.date)
            if let interval = piece.entry.interval {
                insert(piece, number: turn.number, date: turn.date.advanced(by: interval))
            }
            return piece.action
        }
        return nil
    }
}
