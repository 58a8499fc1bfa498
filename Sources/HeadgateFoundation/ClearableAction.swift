/// A closure that one thread may clear while another runs it.
///
/// Cancelled work keeps its closure until its run loop or queue gets round to releasing it, which may be never.
// The closure is only reached through the lock. What it touches is the responsibility of its scheduler's caller.
final class ClearableAction: @unchecked Sendable {
    private struct Action: @unchecked Sendable {
        let run: () -> Void
    }

    private let action: Guarded<Action?>

    init(_ action: @escaping () -> Void) {
        self.action = Guarded(Action(run: action))
    }

    /// Runs the closure unless it has been cleared.
    func run() {
        let action = action.withLock { $0 }
        action?.run()
    }

    /// Releases the closure; if it is running, when it returns.
    func clear() {
        _ = action.withLock { $0.take() }
    }
}
