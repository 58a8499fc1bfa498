import HeadgateTesting
import HeadgateVerification

/// A piece of bad code, and what is known about it.
struct Exhibit {
    /// What it is called.
    let name: String

    /// What it does wrong.
    let fault: String

    /// Where such code is met.
    let place: String

    /// The number of the rule that catches it, or how the step verifier fails on it.
    let mark: String

    /// Looks at it with the kit, and answers what was found: the numbers of the rules that it breaks, or the failures, and the
    /// report.
    let look: (Effort) -> (marks: [String], report: String)

    init(
        _ name: String, _ fault: String, met place: String, breaks rule: Rule,
        verify: @escaping (Effort) -> Verification
    ) {
        self.name = name
        self.fault = fault
        self.place = place
        mark = rule.number
        look = { effort in
            let report = verify(effort)
            return (report.brokenRules.map(\.number), report.description)
        }
    }

    init(
        _ name: String, _ fault: String, met place: String, fails failure: String,
        verifySteps: @escaping ((String, StaticString, UInt) -> Void) -> Void
    ) {
        self.name = name
        self.fault = fault
        self.place = place
        mark = failure
        look = { _ in
            var failures: [String] = []
            verifySteps { message, _, _ in failures.append(message) }
            return (failures.map { String($0.prefix { $0 != "\n" }) }, failures.joined(separator: "\n"))
        }
    }
}
