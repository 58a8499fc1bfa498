import Foundation
import HeadgateCore

/// Work that waits for its moment, and is done in the order of the moments, at one moment in the order in which it came.
///
/// The timers that say when are less exact than that: of two for one moment, either may go off first. So a timer does not
/// belong to a piece of work; each piece has one, and each, when it goes off, takes whatever stands first.
final class Lineup: Sendable {
    private struct Entry {
        let date: Date
        let action: () -> Void
    }

    /// In order, the first one last, so that taking it off costs nothing.
    private let entries = Guarded<[Entry]>([])

    /// Puts work in its place; a timer for the same moment has to call ``next()``.
    func insert(_ date: Date, _ action: @escaping () -> Void) {
        // The closure goes to the thread on which the scheduler does its work.
        nonisolated(unsafe) let entry = Entry(date: date, action: action)
        entries.withLock { entries in
            var low = 0
            var high = entries.count
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].date > entry.date { low = middle + 1 } else { high = middle }
            }
            entries.insert(entry, at: low)
        }
    }

    /// Takes off the work that stands first.
    func next() -> (() -> Void)? { entries.withLock { $0.popLast() }?.action }
}

extension Lineup {
    /// A lineup that the timers of a run loop keep alive.
    private struct Slot {
        weak var lineup: Lineup?
        weak var loop: RunLoop?
    }

    // A slot stays when its loop is gone: there are no more of them than addresses at which run loops have lived.
    private static let slots = Guarded<[ObjectIdentifier: Slot]>([:])

    /// The lineup of a run loop: the same for as long as any of its timers waits.
    static func of(_ loop: RunLoop) -> Lineup {
        slots.withLock { slots in
            let key = ObjectIdentifier(loop)
            // Another loop may have lived at the same address.
            if let slot = slots[key], slot.loop === loop, let lineup = slot.lineup { return lineup }
            let lineup = Lineup()
            slots[key] = Slot(lineup: lineup, loop: loop)
            return lineup
        }
    }
}
