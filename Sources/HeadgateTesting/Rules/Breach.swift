/// A rule that was broken, and what was seen.
public struct Breach: Hashable, Sendable, CustomStringConvertible {
    /// The rule that was broken.
    public let rule: Rule

    /// What was seen, as in `a value that was not asked for`.
    public let finding: String

    /// Makes the note of a breach.
    public init(_ rule: Rule, _ finding: String) {
        self.rule = rule
        self.finding = finding
    }

    /// The finding, and the rule in its own words.
    public var description: String { "\(finding) (rule \(rule))" }
}
