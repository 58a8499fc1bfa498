import Foundation

/// Runs a closure on another thread, and waits for it.
func onAnotherThread(_ work: @escaping () -> Void) {
    nonisolated(unsafe) let work = work
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        work()
        isDone.signal()
    }
    isDone.wait()
}
