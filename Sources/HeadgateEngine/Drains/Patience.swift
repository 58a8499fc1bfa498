import HeadgateThread

/// How long a caller waits for its turn in a drain: it spins, then yields, then sleeps for moments, and gives up after the
/// bound.
///
/// Not in a queue, and not first come, first served: with more threads than processors, each hand-over to the oldest
/// would wait for a thread that isn't running.
@usableFromInline package struct Patience {
    /// The longest wait where nothing else has been left to the owner, in nanoseconds.
    ///
    /// Long against a delivery, so that senders wait for each other and are slowed; short against anything that a person
    /// or a network peer would notice, because a sink may itself be waiting for the caller, and then only the end of the
    /// wait lets both go on.
    @usableFromInline package static var bound: UInt64 { 1_000_000 }

    /// How many times as long a wait may be where work has been left to the owner already.
    ///
    /// Senders that are together faster than a slow sink are slowed down to its pace, and what they leave stays short.
    package static var longest: Int { 100 }

    var turns = 0
    var began: UInt64 = 0

    @usableFromInline package init() {}

    /// Lets a moment pass.
    ///
    /// - Parameter backlog: How much work has been left to the owner.
    /// - Returns: Whether the caller may wait on.
    @usableFromInline package mutating func wait(behind backlog: Int) -> Bool {
        turns += 1
        if turns <= 200 {
            headgate_pause()
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

    /// Lets a moment pass, where the wait is for a few instructions of another thread.
    @usableFromInline package mutating func waitBriefly() {
        turns += 1
        if turns <= 200 { headgate_pause() } else { headgate_yield() }
    }
}
