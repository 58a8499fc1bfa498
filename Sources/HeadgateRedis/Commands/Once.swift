import Synchronization

/// Tells the first caller from all others.
final class Once: Sendable {
    private let isUsed = Atomic(false)

    func isFirst() -> Bool { !isUsed.exchange(true, ordering: .relaxed) }
}
