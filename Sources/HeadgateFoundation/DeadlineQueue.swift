package import Foundation
import HeadgateCore

/// Scheduled work, run in the order of its moments; at the same moment, in the order in which it was scheduled.
///
/// One timer serves all of it: it is set for the earliest moment, and takes everything that is due by then. Adding an
/// entry takes time logarithmic in their number.
package struct DeadlineQueue {
    private struct Entry {
        let date: Date
        /// Orders entries with the same moment.
        let number: UInt64
        let action: () -> Void

        func precedes(_ other: Entry) -> Bool { (date, number) < (other.date, other.number) }
    }

    // A binary heap: the children of index n are at 2n + 1 and 2n + 2, and neither is earlier.
    private var entries: [Entry] = []
    private var count: UInt64 = 0

    package init() {}

    /// The earliest moment.
    package var first: Date? { entries.first?.date }

    /// Inserts work.
    ///
    /// - Returns: Whether it is now the first, so that the timer has to be set again.
    package mutating func insert(_ date: Date, _ action: @escaping () -> Void) -> Bool {
        count += 1
        let entry = Entry(date: date, number: count, action: action)
        entries.append(entry)
        var place = entries.count - 1
        while place > 0, entry.precedes(entries[(place - 1) / 2]) {
            entries.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
        return place == 0
    }

    /// Removes and returns the first work, if its moment has come.
    package mutating func popFirst(at now: Date) -> (() -> Void)? {
        guard let first = entries.first, first.date <= now else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var place = 0
        while 2 * place + 1 < entries.count {
            var child = 2 * place + 1
            if child + 1 < entries.count, entries[child + 1].precedes(entries[child]) { child += 1 }
            if !entries[child].precedes(entries[place]) { break }
            entries.swapAt(place, child)
            place = child
        }
        return first.action
    }

    /// Removes and returns all work whose moment has come, in order.
    package mutating func takeDue(at now: Date) -> [() -> Void] {
        var due: [() -> Void] = []
        while let action = popFirst(at: now) { due.append(action) }
        return due
    }
}
