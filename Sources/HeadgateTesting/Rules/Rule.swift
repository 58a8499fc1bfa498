/// A rule of the contract between publishers and subscribers, numbered as in `Documentation/Contract.md`.
///
/// The numbers do not change, so a test may name them.
///
/// ```swift
/// print(Rule.valuesAgainstDemand)
/// // 1.2 Values are delivered only against demand: never more in total than was requested.
/// ```
public struct Rule: Hashable, Sendable {
    /// The chapter of the contract.
    public let chapter: Int

    /// The place within the chapter.
    public let place: Int

    /// The text of the rule.
    public let sentence: String

    /// The number, as in `4.1`.
    public var number: String { "\(chapter).\(place)" }
}

extension Rule: Comparable {
    /// Whether the left rule comes before the right one in the contract.
    public static func < (lhs: Rule, rhs: Rule) -> Bool { (lhs.chapter, lhs.place) < (rhs.chapter, rhs.place) }
}

extension Rule: CustomStringConvertible {
    /// The number and the sentence.
    public var description: String { "\(number) \(sentence)" }
}

extension Rule {
    /// The rule with a number such as `4.1`; `nil` if there is none.
    public init?(number: String) {
        guard let rule = Rule.all.first(where: { $0.number == number }) else { return nil }
        self = rule
    }
}
