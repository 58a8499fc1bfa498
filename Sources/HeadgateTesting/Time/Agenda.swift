/// The work that a test scheduler has before it.
struct Agenda {
    private struct Entry {
        let number: Int
        var date: TestTime
        let interval: TestTime.Stride?
        let options: TestScheduler.SchedulerOptions?
        let action: () -> Void
    }

    var now = TestTime.zero

    // Sorted by date, and at one date by age; the next one last, so that taking it off costs nothing.
    private var entries: [Entry] = []

    private(set) var scheduledCount = 0

    var unfinished: [TestScheduler.Unfinished] {
        entries.reversed().map { .init(date: $0.date, interval: $0.interval, options: $0.options) }
    }

    /// - Returns: The number by which the work can be taken off again.
    mutating func insert(
        date: TestTime, interval: TestTime.Stride?, options: TestScheduler.SchedulerOptions?,
        action: @escaping () -> Void
    ) -> Int {
        scheduledCount += 1
        insert(
            Entry(number: scheduledCount, date: max(date, now), interval: interval, options: options, action: action))
        return scheduledCount
    }

    private mutating func insert(_ entry: Entry) {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].date > entry.date { low = middle + 1 } else { high = middle }
        }
        entries.insert(entry, at: low)
    }

    /// Takes a piece of work off.
    ///
    /// - Returns: The work, to be let go of outside any lock.
    mutating func remove(_ number: Int) -> (() -> Void)? {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
        return entries.remove(at: index).action
    }

    /// Moves the clock to the next piece of work, if that is due by the goal.
    ///
    /// Repeated work is put back before it runs, so that it can be cancelled from inside.
    ///
    /// - Returns: The work to be done.
    mutating func next(until goal: TestTime?) -> (() -> Void)? {
        guard var entry = entries.last else { return nil }
        if let goal, entry.date > goal { return nil }
        entries.removeLast()
        now = max(now, entry.date)
        if let interval = entry.interval {
            entry.date = entry.date.advanced(by: interval)
            insert(entry)
        }
        return entry.action
    }
}
