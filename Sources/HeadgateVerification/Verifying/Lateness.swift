import Dispatch
import HeadgateTesting

/// Waits for missing events of a publisher with threads of its own, before they are reported.
///
/// If nothing is missing no time passes, so `settle` closures may be short or absent. Every script waits on its own
/// account, for up to the timeout. Only events whose absence is established, because a script has waited for them in
/// vain, are waited for more briefly: one broken rule must not cost a timeout in every script.
final class Lateness: @unchecked Sendable {
    // Only the checking thread uses it.

    let mayBeLate: Bool
    let timeout: Int

    /// The rules for which an event has been waited for in vain.
    private var established: Set<Rule> = []

    /// The most milliseconds that an event has been late.
    private var longest = 0.0

    /// - Parameters:
    ///   - mayBeLate: Whether events arrive on other threads.
    ///   - timeout: The milliseconds to wait for a missing event.
    init(_ mayBeLate: Bool, timeout: Int) {
        self.mayBeLate = mayBeLate
        self.timeout = timeout
    }

    /// Waits until no event is missing, or no event of a rule that isn't yet known to be broken.
    ///
    /// - Parameter missing: The rules that the missing events break.
    func wait(whileMissing missing: () -> Set<Rule>) {
        if !mayBeLate { return }
        let start = DispatchTime.now()
        var left: Set<Rule> = []
        while true {
            let isEnough = waitUntil(timeout: timeout) {
                left = missing()
                return left.isSubset(of: established)
            }
            if !isEnough { return established.formUnion(left) }
            if left.isEmpty { break }
            let hasMoved = waitUntil(timeout: briefTimeout) {
                left = missing()
                return left.isEmpty || !left.isSubset(of: established)
            }
            if !hasMoved { return }
            if left.isEmpty { break }
        }
        let elapsed = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds
        longest = max(longest, Double(elapsed) / 1_000_000)
    }

    /// Waits until a condition holds, without which a rule is broken.
    func wait(for rule: Rule, until isThere: () -> Bool) {
        wait { isThere() ? [] : [rule] }
    }

    /// Runs a closure that waits longer for what is established, though not for the whole timeout.
    ///
    /// Shrinking a script that breaks a rule would otherwise mistake what is late for what is missing.
    func withMorePatience<Result>(_ body: () -> Result) -> Result {
        isPatient = true
        defer { isPatient = false }
        return body()
    }

    private var isPatient = false

    private var briefTimeout: Int { min(timeout, isPatient ? 100 + Int(20 * longest) : min(50, 2 + Int(4 * longest))) }

    /// Waits for all events: until the completion, if there is one, or until no event has arrived for a while.
    ///
    /// The result is a reference for other runs.
    func waitForAll(ends: Bool, hasEnded: () -> Bool, count: () -> Int) {
        if !mayBeLate { return }
        if ends { waitUntil(timeout: timeout, hasEnded) } else { waitForQuiet(timeout: timeout, of: count) }
    }
}
