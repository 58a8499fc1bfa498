import HeadgateTesting

/// The report of a verifier: for every rule of the contract, whether it was kept.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
/// import HeadgateVerification
///
/// print(verify(publisher: (1...5).publisher).isConforming)
/// // true
/// ```
public struct Verification: Sendable {
    /// The verdict on one rule.
    public enum Verdict: Hashable, Sendable {
        /// No run broke the rule.
        case held

        /// A run broke the rule.
        case broken(Evidence)

        /// The rule does not apply to this subject, for the given reason.
        case notApplicable(String)

        /// The rule could not be checked, for the given reason.
        case notCheckable(String)
    }

    /// The smallest sequence of events found that breaks a rule.
    public struct Evidence: Hashable, Sendable {
        /// The rule and the observation.
        public let breach: Breach

        /// The actions of the verifier, in words.
        public let script: String

        /// The events, as a time-line with a demand row.
        public let timeLine: TimeLine

        /// The seed of the random script that found it; `nil` if the search was systematic.
        public let seed: UInt64?
    }

    /// The name of the subject.
    public let subject: String

    /// The verdict on each rule.
    public internal(set) var verdicts: [Rule: Verdict] = [:]

    /// The number of scripts that were run.
    public internal(set) var scriptCount = 0

    /// What the scripts have covered.
    var coverage = Coverage()

    /// Whether every rule that can be checked was checked: a broken rule may make others impossible to check.
    ///
    /// Excusing that rule does not change this.
    public internal(set) var isComplete = true

    /// Whether no rule was broken, and the verification is complete.
    public var isConforming: Bool { broken.isEmpty && isComplete }

    /// The rules that could not be checked, in the order of the contract.
    public var unchecked: [Rule] {
        Rule.all.filter { if case .notCheckable = self[$0] { true } else { false } }
    }

    /// The evidence of each broken rule, in the order of the contract.
    public var broken: [Evidence] {
        verdicts.sorted { $0.key < $1.key }.compactMap {
            if case .broken(let evidence) = $0.value { evidence } else { nil }
        }
    }

    /// The broken rules, in the order of the contract.
    public var brokenRules: [Rule] { broken.map(\.breach.rule) }

    /// The verdict on one rule.
    public subscript(rule: Rule) -> Verdict {
        verdicts[rule] ?? .notApplicable("it does not concern a \(subject)")
    }
}

extension Verification {
    /// The same report, excusing rules that the subject is documented not to follow.
    ///
    /// - Parameters:
    ///   - rules: The rules to excuse.
    ///   - reason: Why the subject may break them.
    public func excusing(_ rules: Rule..., because reason: String) -> Verification {
        var report = self
        for rule in rules { report.verdicts[rule] = .notApplicable("excused: \(reason)") }
        return report
    }
}

extension Verification: CustomStringConvertible {
    /// A line per rule, and the evidence of the broken ones.
    public var description: String {
        let held = Rule.all.count { self[$0] == .held }
        let result =
            !broken.isEmpty ? "\(broken.count) rules broken" : isComplete ? "conforming" : "not checked completely"
        var lines = [
            "\(subject): \(result), \(scriptCount) scripts, \(held) rules held, \(unchecked.count) not checkable"
        ]
        for rule in Rule.all {
            switch self[rule] {
            case .held: lines.append("  \(rule.number) held")
            case .broken(let evidence):
                let evidence = "\n\(evidence)".replacing("\n", with: "\n      ")
                lines.append("  \(rule.number) BROKEN\(evidence)")
            case .notApplicable(let reason): lines.append("  \(rule.number) not applicable: \(reason)")
            case .notCheckable(let reason): lines.append("  \(rule.number) not checkable: \(reason)")
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension Verification.Evidence: CustomStringConvertible {
    /// The rule, the script, and the events.
    public var description: String {
        var lines = ["rule \(breach.rule)", "found: \(breach.finding)", "script: \(script)", timeLine.description]
        if let seed { lines.append("seed: \(seed)") }
        return lines.joined(separator: "\n")
    }
}

extension Verification {
    /// Reports a failure for each broken rule, or for the lack of a complete verification, to a test framework.
    ///
    /// With XCTest, `report.check { XCTFail($0, file: $1, line: $2) }` marks the caller's line.
    ///
    /// - Parameters:
    ///   - file: The file to report.
    ///   - line: The line to report.
    ///   - fail: Records one failure.
    public func check(
        file: StaticString = #filePath, line: UInt = #line, fail: (String, StaticString, UInt) -> Void
    ) {
        check(file: file, line: line) { $0.record(fail) }
    }

    /// Reports a failure for each broken rule, or for the lack of a complete verification, with the caller's column
    /// and module, too, as Swift Testing needs them.
    ///
    /// - Parameters:
    ///   - fileID: The module and the file to report.
    ///   - file: The file to report.
    ///   - line: The line to report.
    ///   - column: The column to report.
    ///   - fail: Records one failure: see `ExpectationFailure`.
    public func check(
        fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
        fail: (ExpectationFailure) -> Void
    ) {
        let place = TestPlace(fileID, file, line, column)
        for evidence in broken { fail(ExpectationFailure("\(subject) breaks \(evidence)", at: place)) }
        if broken.isEmpty, !isComplete {
            fail(ExpectationFailure("\(subject) is not checked completely:\n\(self)", at: place))
        }
    }
}
