import Synchronization

/// Something that is counted until it ends: once, at the latest when it is released.
final class Visit: Sendable {
    private let onEnd: @Sendable () -> Void
    private let isOver = Atomic(false)

    init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    deinit { end() }

    func end() {
        // Relaxed: only the first caller goes on, and what it uses was there before anybody had this.
        if !isOver.exchange(true, ordering: .relaxed) { onEnd() }
    }
}
