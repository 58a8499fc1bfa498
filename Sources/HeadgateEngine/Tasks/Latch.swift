import HeadgateCore

/// Opens once, and lets the task pass that waits for it.
@usableFromInline package struct Latch: ~Copyable, Sendable {
    @usableFromInline struct State {
        @usableFromInline var isOpen = false

        @usableFromInline var waiting: UnsafeContinuation<Void, Never>?

        @inlinable init() {}
    }

    @usableFromInline let state = Guarded(State())

    @inlinable package init() {}

    /// Opens it, unless it is open.
    @inlinable package func open() {
        let task = state.withLock { state in
            state.isOpen = true
            return state.waiting.take()
        }
        task?.resume()
    }

    /// Waits until it is open; called by one task.
    @inlinable package nonisolated(nonsending) func wait() async {
        await withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in wait(task) }
    }

    @inlinable package func wait(_ task: UnsafeContinuation<Void, Never>) {
        let waits = state.withLock { state in
            if !state.isOpen { state.waiting = task }
            return !state.isOpen
        }
        if !waits { task.resume() }
    }
}
