import HeadgateThread

/// How long a caller waits for its turn in a drain: it spins, then yields, and gives up after a millisecond.
///
/// Not in a queue, and not first come, first served: with more threads than processors, each hand-over to the oldest
/// would wait for a thread that isn't running.
@usableFromInline package struct Patience {
    /// The longest wait, in nanoseconds.
    ///
    /// Long against a delivery, so that senders wait for each other and are slowed; short against anything that a person
    /// or a network peer would notice, because a sink may itself be waiting for the caller, and then only the end of the
    /// wait lets both go on.
    @usableFromInline package static var bound: UInt64 { 1_000_000 }

    var turns = 0
    var deadline: UInt64 = 0

    @usableFromInline package init() {}

    /// Lets a moment pass.
    ///
    /// - Returns: Whether the caller may wait on.
    @usableFromInline package mutating func wait() -> Bool {
        turns += 1
        if turns <= 200 {
            headgate_pause()
            return true
        }
        headgate_yield()
        // Reading the clock costs as much as a small delivery.
        if turns % 8 != 1 { return true }
        let now = headgate_nanoseconds()
        if deadline == 0 { deadline = now + Self.bound }
        return now < deadline
    }

    /// Lets a moment pass, where the wait is for a few instructions of another thread.
    @usableFromInline package mutating func waitBriefly() {
        turns += 1
        if turns <= 200 { headgate_pause() } else { headgate_yield() }
    }
}
