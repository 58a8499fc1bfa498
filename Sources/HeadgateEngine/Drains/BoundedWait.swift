import HeadgateThread
import Synchronization

/// How long a caller waits for its turn in a drain: it spins, then yields, then parks until an owner wakes it, and gives
/// up after the bound.
///
/// Callers wait neither in a queue nor in order: with more threads than processors, each hand-over to the oldest would
/// wait for a thread that isn't running.
package struct BoundedWait {
    /// The longest wait in nanoseconds while no work has been enqueued for the owner.
    ///
    /// Long compared to a delivery, so that senders wait for each other and are slowed; short compared to anything that
    /// a person or a network peer would notice, because a sink may itself be waiting for the caller, and then both
    /// continue only after the wait ends.
    package static var bound: UInt64 { 1_000_000 }

    /// How many times longer a wait may be if work has been enqueued for the owner already.
    ///
    /// Senders that together are faster than a slow sink are slowed to its pace, and the queue stays short.
    package static var longest: Int { 100 }

    /// How many nanoseconds beyond the bound an owner performs the work of senders that don't wait, before it has them wait.
    ///
    /// Long compared to a hand-over, so that streams which feed each other seldom wait for each other.
    static var patience: UInt64 { 9_000_000 }

    /// How often the caller looks before it yields: for some ten microseconds.
    static var spins: Int { 10 }

    /// How often it yields before it parks.
    ///
    /// An owner that has lost its processor continues at once then, and is spared the wake-up: without that, eight
    /// senders to a sink of three microseconds took twice the time.
    static var yields: Int { 2 }

    var turns = 0
    var end: UInt64 = 0

    package init() {}

    /// Waits until the caller should look again.
    ///
    /// - Parameters:
    ///   - backlog: How much work has been enqueued for the owner.
    ///   - park: Sleeps until an owner leaves, or a number of nanoseconds has passed.
    /// - Returns: Whether the caller may continue to wait.
    package mutating func goesOn(behind backlog: Int, park: (UInt64) -> Void) -> Bool {
        // Work that has been enqueued comes first, so the turn will hardly come soon.
        if turns == 0, backlog > 0 { turns = Self.spins - 1 }
        turns += 1
        if turns <= Self.spins {
            // Each look takes the cache line from the owner, so looks become rarer: two senders that looked after
            // every pause were three times slower than one.
            for _ in 0..<(1 << Swift.min(turns, 6)) { headgate_pause() }
            return true
        }
        let now = headgate_nanoseconds()
        if end == 0 { end = now + Self.bound * UInt64(Swift.min(1 + backlog, Self.longest)) }
        if turns <= Self.spins + Self.yields {
            headgate_yield()
            return true
        }
        if now >= end { return false }
        park(end - now)
        // Another caller may have been faster, and soon leave.
        turns = Self.spins - 1
        return true
    }
}

// A thread sleeps at a word for as long as the word doesn't change, or until it is woken. Between the thread's look at the
// word and its sleep no change and wake-up can come: the system compares the word once more, and who changes it wakes
// after the change.
extension Atomic<UInt> {
    /// Parks the calling thread, if the word is what is expected, until another one wakes it or the time has passed.
    ///
    /// May return too early.
    package func park(expecting value: UInt, nanoseconds: UInt64) {
        withUnsafePointer(to: self) { headgate_park($0, UInt32(truncatingIfNeeded: value), nanoseconds) }
    }

    /// Wakes all threads that are parked here; called after changing the word.
    package func wakeAll() { withUnsafePointer(to: self) { headgate_wake($0) } }
}
