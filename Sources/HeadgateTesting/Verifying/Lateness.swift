/// Waits for what is missing where a publisher has threads of its own, before that is held against it.
///
/// Where nothing is missing no time passes, so `settle` closures may be short, or missing. Once something did not come
/// within the patience, nothing more is waited for: one broken script must not cost as much time as all of them.
final class Lateness: @unchecked Sendable {
    // Only the thread that judges touches it.

    private let mayBeLate: Bool
    private let patience: Int
    private var isSpent = false

    /// - Parameters:
    ///   - mayBeLate: Whether anything comes on other threads.
    ///   - patience: For how many thousandths of a second to wait for what is missing.
    init(_ mayBeLate: Bool, patience: Int) {
        self.mayBeLate = mayBeLate
        self.patience = patience
    }

    /// Waits until what should be there is there.
    func wait(until isThere: () -> Bool) {
        if !mayBeLate || isSpent { return }
        if !waitUntil(patience: patience, isThere) { isSpent = true }
    }

    /// Waits until all that there is has come: until the end, where there is one, or until it has been quiet for a while.
    ///
    /// Other runs are compared with what has come by then, so the patience is never spent.
    func waitForAll(ends: Bool, hasEnded: () -> Bool, count: () -> Int) {
        if !mayBeLate { return }
        if ends { waitUntil(patience: patience, hasEnded) } else { waitForQuiet(patience: patience, of: count) }
    }
}
