import Synchronization

/// Calls back once, at the end of something that is counted: at the latest when it is released.
final class OneShotEnd: Sendable {
    private let onEnd: @Sendable () -> Void
    private let hasEnded = Atomic(false)

    init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    deinit { end() }

    func end() {
        // Relaxed: `onEnd` is immutable, and was written before this object was shared.
        if !hasEnded.exchange(true, ordering: .relaxed) { onEnd() }
    }
}
