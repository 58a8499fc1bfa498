import Glibc
import HeadgateTesting

/// Verifies Headgate with its own kit and prints a table: a row for every subject, a column for every rule.
@main
struct Conformance {
    static let help = """
        usage: conformance [--thorough] [--page DIRECTORY] [NAME ...]

        Verifies Headgate's publishers, operators, subjects and subscribers against the rules of Documentation/Contract.md
        and prints a table with a row for each and a column for every rule: those whose names or families are given, or
        all. What is broken is shown below it, with the shortest events that show it. The exit status is 1 if anything is.

          --thorough         searches longer
          --page DIRECTORY   also writes conformance.svg, the table as a picture, and index.html, the table with the
                             rules in words and a picture of the events behind whatever is broken
          --help             this text
        """

    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") || arguments.contains("-h") { return print(help) }
        let directory = Self.directory(in: &arguments)
        let effort = arguments.contains("--thorough") ? Effort.thorough : .normal
        let names = arguments.filter { !$0.hasPrefix("-") }
        let chosen = Candidate.catalogue
            .map { family in
                let isWhole = names.isEmpty || names.contains(family.title)
                return Family(family.title, family.members.filter { isWhole || names.contains($0.name) })
            }
            .filter { !$0.members.isEmpty }
        if chosen.isEmpty {
            print("Nothing of that name is known. There are:")
            for family in Candidate.catalogue {
                print(family.title)
                for candidate in family.members { print("  \(candidate.name)") }
            }
            exit(2)
        }
        let families = chosen.map { $0.map { Page.Report($0.name, $0.verify(effort)) } }
        print(table(of: families))
        let broken = families.flatMap(\.members).filter { !$0.verification.isConforming }
        for (name, report) in broken {
            print("\n\(name)")
            for evidence in report.broken { print(evidence) }
        }
        if let directory, let trouble = Page(families: families).write(to: directory) {
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
    static func table(of families: [Family<Page.Report>]) -> String {
        let width = (families.flatMap(\.members).map(\.name.count).max() ?? 0) + 2
        func line(_ name: String, _ cells: String) -> String {
            name + String(repeating: " ", count: max(0, width - name.count)) + cells
        }
        let blocks = families.map { family in
            let rows = family.members.map { name, report in
                line(name, " " + Page.rules.map { Page.Kind(report[$0]).sign }.joined(separator: "   "))
            }
            let head = line(family.title, Page.rules.map(\.number).joined(separator: " "))
            return ([head] + rows).joined(separator: "\n")
        }
        return (blocks + ["+ held   # broken   . not applicable   ? not checkable"]).joined(separator: "\n\n")
    }
}
