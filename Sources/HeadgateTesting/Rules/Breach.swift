/// A rule that was broken, and the observation that shows it.
public struct Breach: Hashable, Sendable, CustomStringConvertible {
    /// The rule that was broken.
    public let rule: Rule

    /// The observation, such as `a value without demand`.
    public let finding: String

    /// Creates the record of a breach.
    public init(_ rule: Rule, _ finding: String) {
        self.rule = rule
        self.finding = finding
    }

    /// The observation and the text of the rule.
    public var description: String { "\(finding) (rule \(rule))" }
}
