import HeadgateThread

/// How long a caller waits for its turn in a drain: it spins, then yields, then sleeps briefly, and gives up after the
/// bound.
///
/// Callers wait neither in a queue nor in order: with more threads than processors, each hand-over to the oldest would
/// wait for a thread that isn't running.
@usableFromInline package struct Patience {
    /// The longest wait in nanoseconds while no work has been enqueued for the owner.
    ///
    /// Long compared to a delivery, so that senders wait for each other and are slowed; short compared to anything that
    /// a person or a network peer would notice, because a sink may itself be waiting for the caller, and then both
    /// continue only after the wait ends.
    @usableFromInline package static var bound: UInt64 { 1_000_000 }

    /// How many times longer a wait may be if work has been enqueued for the owner already.
    ///
    /// Senders that together are faster than a slow sink are slowed to its pace, and the queue stays short.
    package static var longest: Int { 100 }

    var turns = 0
    var began: UInt64 = 0

    @usableFromInline package init() {}

    /// Waits briefly.
    ///
    /// - Parameter backlog: How much work has been enqueued for the owner.
    /// - Returns: Whether the caller may continue to wait.
    @usableFromInline package mutating func wait(behind backlog: Int) -> Bool {
        turns += 1
        if turns <= 10 {
            // Each look takes the cache line from the owner, so looks become rarer: two senders that looked after
            // every pause were three times slower than one.
            for _ in 0..<(1 << Swift.min(turns, 6)) { headgate_pause() }
            return true
        }
        headgate_yield()
        // Reading the clock costs as much as a small delivery.
        if turns % 8 != 1 { return true }
        let now = headgate_nanoseconds()
        if began == 0 { began = now }
        if now < began + Self.bound { return true }
        if now >= began + Self.bound * UInt64(Swift.min(1 + backlog, Self.longest)) { return false }
        headgate_sleep(Self.bound / 20)
        return true
    }

    /// Waits briefly for a few instructions of another thread.
    @usableFromInline package mutating func waitBriefly() {
        turns += 1
        if turns <= 200 { headgate_pause() } else { headgate_yield() }
    }
}
