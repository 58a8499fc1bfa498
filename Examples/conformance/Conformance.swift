import HeadgateTesting

/// Verifies Headgate with its own kit and prints a table: a row for every subject, a column for every rule.
@main
struct Conformance {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let effort =
            arguments.contains("--thorough") ? Effort.thorough : Effort(systematicScripts: 800, randomScripts: 60)
        let names = arguments.filter { !$0.hasPrefix("--") }
        let candidates = Candidate.catalogue.filter { names.isEmpty || names.contains($0.name) }
        let reports = candidates.map { ($0.name, $0.verify(effort)) }
        print(table(of: reports))
        for (name, report) in reports where !report.isConforming {
            print("\n\(name)")
            for evidence in report.broken { print(evidence) }
        }
    }

    /// The table: `+` held, `#` broken, `.` not applicable, `?` not checkable.
    static func table(of reports: [(name: String, report: Verification)]) -> String {
        // Schedulers have rules of their own.
        let rules = Rule.all.filter { $0.chapter < 7 }
        let width = (reports.map(\.name.count).max() ?? 0) + 2
        let head = String(repeating: " ", count: width) + rules.map { $0.number }.joined(separator: " ")
        let rows = reports.map { name, report in
            name + String(repeating: " ", count: width - name.count)
                + rules.map { " " + sign(of: report[$0]) + " " }.joined(separator: " ")
        }
        return ([head] + rows + ["+ held   # broken   . not applicable   ? not checkable"]).joined(separator: "\n")
    }

    private static func sign(of verdict: Verification.Verdict) -> String {
        switch verdict {
        case .held: "+"
        case .broken: "#"
        case .notApplicable: "."
        case .notCheckable: "?"
        }
    }
}
