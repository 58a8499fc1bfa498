import HeadgateEngine

/// The turn of one value among those with the same key: waits for the turn before, and makes the next one wait.
// Not generic, because the end of a generic object, which is never specialised, looks up the types of what it releases.
// Threads share only what a lock guards.
@usableFromInline package final class Turn: @unchecked Sendable {
    @usableFromInline let end = Latch()

    // Released when it is done, so that turns form no chain.
    @usableFromInline let earlier: Guarded<Turn?>

    @inlinable init(after earlier: Turn?) { self.earlier = Guarded(earlier) }

    // Turns that never begin are released one by one: a chain takes as much stack as it is long.
    @inlinable deinit {
        var next = earlier.withLock { $0.take() }
        while isKnownUniquelyReferenced(&next), let turn = next { next = turn.earlier.withLock { $0.take() } }
    }

    /// Waits until the turn before is done.
    @inlinable package nonisolated(nonsending) func begin() async {
        if let earlier = earlier.withLock({ $0.take() }) { await earlier.end.wait() }
    }
}

/// Gives each value its turn among those with the same key, in the order of the values.
///
/// A value waits only for earlier ones. So where values are processed in their order, however many at a time, the first
/// of those that are under way never waits.
@usableFromInline package final class KeyTurns<Key: Hashable & Sendable>: @unchecked Sendable {
    // Confined to upstream's deliveries, because keys are compared by user code.
    @exclusivity(unchecked) @usableFromInline var last: [Key: Turn] = [:]

    /// Turns that are done and may still be the last of their keys.
    @usableFromInline let done = Guarded<[(turn: Turn, key: Key)]>([])

    @inlinable package init() {}

    /// Takes the next turn of a key; called by upstream.
    @inlinable package func next(_ key: Key) -> Turn {
        for (turn, key) in done.withLock({ exchange(&$0, with: []) }) where last[key] === turn { last[key] = nil }
        let turn = Turn(after: last[key])
        last[key] = turn
        return turn
    }

    /// Ends a turn of a key, on any thread.
    @inlinable package func finish(_ turn: Turn, of key: Key) {
        done.withLock { $0.append((turn, key)) }
        turn.end.open()
    }
}
