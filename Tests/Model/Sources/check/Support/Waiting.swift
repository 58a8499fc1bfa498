import ModelKit

/// What a virtual thread waits for in the place of a task.
final class Wakeup: @unchecked Sendable {
    private let isDone = ModelAtomic(false)

    var continuation: ModelContinuation<Void, Never> {
        ModelContinuation { self.isDone.store(true, ordering: .releasing) }
    }

    /// Waits until it is resumed.
    ///
    /// - Returns: Whether that has happened: if all others wait or have ended, it will not.
    func wait() -> Bool {
        for _ in 0..<8 {
            if isDone.load(ordering: .acquiring) { return true }
            yieldHere()
        }
        return isDone.load(ordering: .acquiring)
    }
}
