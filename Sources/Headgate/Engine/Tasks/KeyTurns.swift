import HeadgateCore

/// The turn of one value among those with the same key.
// Threads share only what a lock guards.
@usableFromInline package final class KeyTurn<Key: Sendable>: @unchecked Sendable {
    @usableFromInline struct State {
        @usableFromInline var isDone = false

        @usableFromInline var waiting: UnsafeContinuation<Void, Never>?

        @inlinable init() {}
    }

    @usableFromInline let key: Key

    @usableFromInline let state = Guarded(State())

    // Released when it is done, so that turns form no chain.
    @usableFromInline let earlier: Guarded<KeyTurn?>

    @inlinable init(_ key: Key, after earlier: KeyTurn?) {
        self.key = key
        self.earlier = Guarded(earlier)
    }

    /// Waits until the turn before is done.
    @inlinable package nonisolated(nonsending) func begin() async {
        if let earlier = earlier.withLock({ $0.take() }) { await earlier.end() }
    }

    @inlinable nonisolated(nonsending) func end() async {
        await withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in
            let waits = state.withLock { state in
                if !state.isDone { state.waiting = task }
                return !state.isDone
            }
            if !waits { task.resume() }
        }
    }

    @inlinable func finish() {
        let task = state.withLock { state in
            state.isDone = true
            return state.waiting.take()
        }
        task?.resume()
    }
}

/// Gives each value its turn among those with the same key, in the order of the values.
///
/// A value waits only for earlier ones. So where values are processed in their order, however many at a time, the first
/// of those that are under way never waits.
@usableFromInline package final class KeyTurns<Key: Hashable & Sendable>: @unchecked Sendable {
    // Confined to upstream's deliveries, because keys are compared by user code.
    @exclusivity(unchecked) @usableFromInline var last: [Key: KeyTurn<Key>] = [:]

    /// Turns that are done and may still be the last of their keys.
    @usableFromInline let done = Guarded<[KeyTurn<Key>]>([])

    @inlinable package init() {}

    /// Takes the next turn of a key; called by upstream.
    @inlinable package func next(_ key: Key) -> KeyTurn<Key> {
        for turn in done.withLock({ exchange(&$0, with: []) }) where last[turn.key] === turn { last[turn.key] = nil }
        let turn = KeyTurn(key, after: last[key])
        last[key] = turn
        return turn
    }

    /// Ends a turn, on any thread.
    @inlinable package func finish(_ turn: KeyTurn<Key>) {
        done.withLock { $0.append(turn) }
        turn.finish()
    }
}
