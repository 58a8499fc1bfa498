/// The work that a test scheduler has before it.
///
/// To schedule, to run and to cancel a piece of work costs no more than the logarithm of how many there are.
struct Agenda {
    private struct Work {
        var entry: TestScheduler.Unfinished
        let action: () -> Void
    }

    /// When a piece of work has its turn: by date, and at one date by age.
    private struct Turn: Comparable {
        let date: TestTime
        let number: Int

        static func < (lhs: Turn, rhs: Turn) -> Bool { (lhs.date, lhs.number) < (rhs.date, rhs.number) }
    }

    var now = TestTime.zero

    private var work: [Int: Work] = [:]

    // Those of work that has been taken off stay until they come up.
    private var turns = Heap<Turn>()

    private(set) var scheduledCount = 0

    var isEmpty: Bool { work.isEmpty }

    var unfinished: [TestScheduler.Unfinished] {
        work.sorted { ($0.value.entry.date, $0.key) < ($1.value.entry.date, $1.key) }.map(\.value.entry)
    }

    /// - Returns: The number by which the work can be taken off again.
    mutating func insert(_ entry: TestScheduler.Unfinished, action: @escaping () -> Void) -> Int {
        scheduledCount += 1
        insert(Work(entry: entry, action: action), number: scheduledCount, date: max(entry.date, now))
        return scheduledCount
    }

    private mutating func insert(_ piece: Work, number: Int, date: TestTime) {
        var piece = piece
        piece.entry.date = date
        work[number] = piece
        turns.insert(Turn(date: date, number: number))
    }

    /// Takes a piece of work off.
    ///
    /// - Returns: The work, to be let go of outside any lock.
    mutating func remove(_ number: Int) -> (() -> Void)? { work.removeValue(forKey: number)?.action }

    /// Moves the clock to the next piece of work, if that is due by the goal.
    ///
    /// Repeated work is put back before it runs, so that it can be cancelled from inside.
    ///
    /// - Returns: The work to be done.
    mutating func next(until goal: TestTime?) -> (() -> Void)? {
        while let turn = turns.first {
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
