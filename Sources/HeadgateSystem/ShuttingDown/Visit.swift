import Synchronization

/// Something that is counted until it ends: once, at the latest when it is released.
final class Visit: Sendable {
    private let onEnd: @Sendable () -> Void
    private let isOver = Atomic(false)

    init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    deinit { end() }

    func end() {
        if !isOver.exchange(true, ordering: .acquiringAndReleasing) { onEnd() }
    }
}
