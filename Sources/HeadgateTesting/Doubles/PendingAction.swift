import HeadgateCore

/// An action to run once, inside a call made by other code.
package final class PendingAction: Sendable {
    private struct Arrangement {
        var body: (() -> Void)?
    }

    private let arrangement = Guarded(Arrangement())

    package func arrange(_ body: @escaping () -> Void) {
        // The caller is responsible for the thread on which the body runs.
        nonisolated(unsafe) let body = body
        arrangement.withLock { $0.body = body }
    }

    /// Removes the action.
    package func forget() {
        // Released outside the lock.
        _ = arrangement.withLock { $0.body.take() }
    }

    /// Runs and removes the action, if there is one.
    func take() { arrangement.withLock { $0.body.take() }?() }
}
