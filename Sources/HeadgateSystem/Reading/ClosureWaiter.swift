import Headgate

/// Waits by calling a closure.
final class ClosureWaiter: PollingWaiter {
    private let start: (@escaping () -> Void) -> Void

    /// Creates a waiter from a closure that calls back on the queue.
    init(_ start: @escaping (@escaping () -> Void) -> Void) { self.start = start }

    /// Creates a waiter from a closure that calls back once, on any thread.
    convenience init(on queue: DeliveryQueue, _ start: @escaping (@escaping @Sendable () -> Void) -> Void) {
        self.init { onReady in
            // Called on the queue.
            nonisolated(unsafe) let onReady = onReady
            start { queue.run { onReady() } }
        }
    }

    func wait(_ onReady: @escaping () -> Void) { start(onReady) }
}
