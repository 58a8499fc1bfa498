import HeadgateCore

/// The upstream that is being connected to, so that it can be cancelled before connecting has returned: an upstream that
/// delivers at once may never return as long as it isn't.
@usableFromInline package struct ConnectionAttempt: ~Copyable {
    @usableFromInline let current = Guarded<Gate?>(nil)

    @inlinable package init() {}

    // Two functions and not one with a closure: connecting takes stack for each stage of a chain.
    /// Records the subscription through which upstream can be cancelled while the caller connects to it.
    @usableFromInline package func begin(_ gate: Gate) { current.withLock { $0 = gate } }

    /// Called when the caller has connected.
    @usableFromInline package func end(_ gate: Gate) {
        let mine: Gate? = current.withLock { $0 === gate ? $0.take() : nil }
        withExtendedLifetime(mine) {}
    }

    /// Cancels the upstream that is being connected to, if there is one.
    @usableFromInline package func cancel() { current.withLock { $0.take() }?.cancel() }
}

/// A connectable publisher whose connection can be cancelled while it is being made.
@usableFromInline package protocol InterruptibleConnecting {
    /// Cancels upstream, if it is being connected to.
    func interruptConnecting()
}
