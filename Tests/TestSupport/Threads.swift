import Dispatch

/// Runs a closure on several threads at once and returns when all have come to its end.
///
/// - Parameter body: Given the number of the run, from zero up. What it shares, the test answers for.
public func inParallel(_ count: Int, _ body: (Int) -> Void) {
    nonisolated(unsafe) let body = body
    DispatchQueue.concurrentPerform(iterations: count) { body($0) }
}
