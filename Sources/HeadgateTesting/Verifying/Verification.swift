/// What a verifier found out: for every rule of the contract, whether it was held.
///
/// ```swift
/// print(verify(publisher: (1...5).publisher).isConforming)
/// // true
/// ```
public struct Verification: Sendable {
    /// What is to be said about one rule.
    public enum Verdict: Hashable, Sendable {
        /// Everything that was tried kept to the rule.
        case held

        /// Something broke the rule.
        case broken(Evidence)

        /// The rule says nothing about this subject, because of the reason given.
        case notApplicable(String)

        /// The rule could not be checked, because of the reason given.
        case notCheckable(String)
    }

    /// The smallest sequence of events found that breaks a rule.
    public struct Evidence: Hashable, Sendable {
        /// The rule and what was seen.
        public let breach: Breach

        /// What the verifier did, in words.
        public let script: String

        /// What happened, as a time-line with a demand row.
        public let timeLine: TimeLine

        /// The seed of the random script in which it was found; `nil` where the search was systematic.
        public let seed: UInt64?
    }

    /// The name of what was verified.
    public let subject: String

    /// What there is to be said about each rule.
    public internal(set) var verdicts: [Rule: Verdict]

    /// How many scripts were run.
    public internal(set) var scriptCount: Int

    /// What the scripts have shown.
    var coverage = Coverage()

    /// Whether no rule was broken.
    public var isConforming: Bool { broken.isEmpty }

    /// The evidence of each rule that was broken, in the order of the contract.
    public var broken: [Evidence] {
        verdicts.sorted { $0.key < $1.key }.compactMap {
            if case .broken(let evidence) = $0.value { evidence } else { nil }
        }
    }

    /// The rules that were broken, in the order of the contract.
    public var brokenRules: [Rule] { broken.map(\.breach.rule) }

    /// What is to be said about one rule.
    public subscript(rule: Rule) -> Verdict {
        verdicts[rule] ?? .notApplicable("it is about something else than \(subject)")
    }
}

extension Verification {
    /// The same report, with rules that the subject is known and documented not to keep set aside.
    ///
    /// - Parameters:
    ///   - rules: The rules to set aside.
    ///   - reason: Why the subject may break them.
    public func excusing(_ rules: Rule..., because reason: String) -> Verification {
        var report = self
        for rule in rules { report.verdicts[rule] = .notApplicable("excused: \(reason)") }
        return report
    }
}

extension Verification: CustomStringConvertible {
    /// A line for every rule, and the evidence of those that were broken.
    public var description: String {
        var lines = [
            "\(subject): \(isConforming ? "conforming" : "\(broken.count) rules broken"), \(scriptCount) scripts"
        ]
        for rule in Rule.all {
            switch self[rule] {
            case .held: lines.append("  \(rule.number) held")
            case .broken(let evidence): lines.append("  \(rule.number) BROKEN\n" + evidence.description.indented(by: 6))
            case .notApplicable(let reason): lines.append("  \(rule.number) not applicable: \(reason)")
            case .notCheckable(let reason): lines.append("  \(rule.number) not checkable: \(reason)")
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension Verification.Evidence: CustomStringConvertible {
    /// The rule, what was done, and what happened.
    public var description: String {
        var lines = ["rule \(breach.rule)", "found: \(breach.finding)", "script: \(script)", timeLine.description]
        if let seed { lines.append("seed: \(seed)") }
        return lines.joined(separator: "\n")
    }
}

extension Verification {
    /// Hands a failure for each rule that was broken to a test framework.
    ///
    /// With XCTest, `report.check { XCTFail($0, file: $1, line: $2) }` marks the caller's line. With Swift Testing,
    /// `report.check { message, _, _ in Issue.record(Comment(rawValue: message)) }`.
    ///
    /// - Parameters:
    ///   - file: The file to blame.
    ///   - line: The line to blame.
    ///   - fail: Records one failure.
    public func check(
        file: StaticString = #filePath, line: UInt = #line, fail: (String, StaticString, UInt) -> Void
    ) {
        for evidence in broken { fail("\(subject) breaks \(evidence)", file, line) }
    }
}

extension String {
    func indented(by count: Int) -> String {
        let blanks = String(repeating: " ", count: count)
        return split(separator: "\n", omittingEmptySubsequences: false).map { blanks + $0 }.joined(separator: "\n")
    }
}
