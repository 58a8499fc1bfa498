package import Foundation
import HeadgateEngine

/// Scheduled work, run in the order of its moments; at the same moment, in the order in which it was scheduled.
///
/// One timer serves all of it: it is set for the earliest moment, and takes everything that is due by then. Adding an
/// entry takes time logarithmic in their number.
package struct DeadlineQueue {
    private var entries = AlarmHeap<Date, () -> Void>()

    package init() {}

    /// The earliest moment.
    package var first: Date? { entries.date }

    /// Inserts work.
    ///
    /// - Returns: Whether it is now the first, so that the timer has to be set again.
    package mutating func insert(_ date: Date, _ action: @escaping () -> Void) -> Bool {
        entries.insert(action, at: date)
    }

    /// Removes and returns the first work, if its moment has come.
    package mutating func popFirst(at now: Date) -> (() -> Void)? { entries.removeFirst(dueAt: now) }

    /// Removes and returns all work whose moment has come, in order.
    package mutating func takeDue(at now: Date) -> [() -> Void] {
        var due: [() -> Void] = []
        while let action = popFirst(at: now) { due.append(action) }
        return due
    }
}
