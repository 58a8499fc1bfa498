import Headgate
import HeadgateEngine

/// Something to be done once, inside a call that somebody else makes.
final class Interruption: Sendable {
    private struct Arrangement {
        var body: (() -> Void)?
    }

    private let arrangement = Guarded(Arrangement())

    func arrange(_ body: @escaping () -> Void) {
        // Whoever arranges it answers for the thread on which it is done.
        nonisolated(unsafe) let body = body
        arrangement.withLock { $0.body = body }
    }

    /// Takes back what was arranged.
    func forget() {
        // Let go of outside the lock.
        _ = arrangement.withLock { $0.body.take() }
    }

    /// Does it, if anything is arranged.
    func take() { arrangement.withLock { $0.body.take() }?() }
}
