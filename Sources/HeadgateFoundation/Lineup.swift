package import Foundation
import HeadgateCore

/// Work that waits for its moment, and is done in the order of the moments, at one moment in the order in which it came.
///
/// One alarm serves all of it: it is set for the earliest moment, and takes what is due by then. Adding a piece costs the
/// logarithm of their number.
package struct Lineup {
    private struct Entry {
        let date: Date
        /// Tells entries for one moment apart.
        let number: UInt64
        let action: () -> Void

        func precedes(_ other: Entry) -> Bool { (date, number) < (other.date, other.number) }
    }

    // A binary tree: those below an entry are at twice its place and one or two more, and none of them is earlier.
    private var entries: [Entry] = []
    private var count: UInt64 = 0

    package init() {}

    /// The earliest moment.
    package var first: Date? { entries.first?.date }

    /// Puts work in its place.
    ///
    /// - Returns: Whether it stands first, so that the alarm has to be set anew.
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

    /// Takes off the work that stands first, if its moment has come.
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

    /// Takes off all work whose moment has come, in order.
    package mutating func takeDue(at now: Date) -> [() -> Void] {
        var due: [() -> Void] = []
        while let action = popFirst(at: now) { due.append(action) }
        return due
    }
}
