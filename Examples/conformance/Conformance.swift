import Glibc
import HeadgateTesting

/// Verifies Headgate with its own kit and prints a table: a row for every subject, a column for every rule.
@main
struct Conformance {
    static let help = """
        usage: conformance [--thorough] [--page DIRECTORY] [NAME ...]

        Verifies Headgate's publishers, operators and subjects against the rules of Documentation/Contract.md, all of them
        where none is named, and prints a table with a row for each and a column for every rule. What is broken is shown
        below it, with the shortest events that show it. The exit status is 1 if anything is.

          --thorough         searches longer
          --page DIRECTORY   also writes conformance.svg, the table as a picture, and index.html, the table with the
                             rules in words and a picture of the events behind whatever is broken
          --help             this text
        """

    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") || arguments.contains("-h") { return print(help) }
        let directory = Self.directory(in: &arguments)
        let effort =
            arguments.contains("--thorough") ? Effort.thorough : Effort(systematicScripts: 800, randomScripts: 60)
        let names = arguments.filter { !$0.hasPrefix("-") }
        let candidates = Candidate.catalogue.filter { names.isEmpty || names.contains($0.name) }
        if candidates.isEmpty {
            print("Nothing of that name is known. There are:")
            for candidate in Candidate.catalogue { print("  \(candidate.name)") }
            exit(2)
        }
        let reports = candidates.map { ($0.name, $0.verify(effort)) }
        print(table(of: reports))
        let broken = reports.filter { !$0.1.isConforming }
        for (name, report) in broken {
            print("\n\(name)")
            for evidence in report.broken { print(evidence) }
        }
        if let directory, let trouble = Page(reports: reports).write(to: directory) {
            print(trouble)
            exit(2)
        }
        if !broken.isEmpty { exit(1) }
    }

    /// Takes `--page DIRECTORY` out of the arguments.
    private static func directory(in arguments: inout [String]) -> String? {
        guard let flag = arguments.firstIndex(of: "--page") else { return nil }
        guard flag + 1 < arguments.count, !arguments[flag + 1].hasPrefix("-") else {
            print("--page needs a directory.")
            exit(2)
        }
        defer { arguments.removeSubrange(flag...flag + 1) }
        return arguments[flag + 1]
    }

    /// The table: `+` held, `#` broken, `.` not applicable, `?` not checkable.
    static func table(of reports: [(name: String, report: Verification)]) -> String {
        let rules = Page.rules
        let width = (reports.map(\.name.count).max() ?? 0) + 2
        let head = String(repeating: " ", count: width) + rules.map { $0.number }.joined(separator: " ")
        let rows = reports.map { name, report in
            name + String(repeating: " ", count: width - name.count)
                + rules.map { " " + Page.Kind(report[$0]).sign + " " }.joined(separator: " ")
        }
        return ([head] + rows + ["+ held   # broken   . not applicable   ? not checkable"]).joined(separator: "\n")
    }
}
