import HeadgateTesting

/// Runs a closure on several threads at the same time and returns when all have come to its end.
///
/// Threads that wait for each other for ever end the process after ten minutes.
///
/// - Parameter body: Given the number of the thread, from zero up. What the threads share, the test answers for.
public func onThreads(_ count: Int, _ body: @escaping (Int) -> Void) {
    let haveReturned = runSideBySide((0..<count).map { number in { body(number) } }, timeout: 600_000)
    precondition(haveReturned, "One of \(count) threads does not return.")
}
