/// Waits for missing events of a publisher with threads of its own, before they are reported.
///
/// If nothing is missing no time passes, so `settle` closures may be short or absent. After the first event that did
/// not arrive within the timeout, nothing more is waited for: one broken script must not cost as much time as all of
/// them.
final class Lateness: @unchecked Sendable {
    // Only the checking thread uses it.

    private let mayBeLate: Bool
    private let timeout: Int
    private var isSpent = false

    /// - Parameters:
    ///   - mayBeLate: Whether events arrive on other threads.
    ///   - timeout: The milliseconds to wait for a missing event.
    init(_ mayBeLate: Bool, timeout: Int) {
        self.mayBeLate = mayBeLate
        self.timeout = timeout
    }

    /// Waits until a condition holds.
    func wait(until isThere: () -> Bool) {
        if !mayBeLate || isSpent { return }
        if !waitUntil(timeout: timeout, isThere) { isSpent = true }
    }

    /// Waits for all events: until the completion, if there is one, or until no event has arrived for a while.
    ///
    /// The result is a reference for other runs, so the timeout is never used up here.
    func waitForAll(ends: Bool, hasEnded: () -> Bool, count: () -> Int) {
        if !mayBeLate { return }
        if ends { waitUntil(timeout: timeout, hasEnded) } else { waitForQuiet(timeout: timeout, of: count) }
    }
}
