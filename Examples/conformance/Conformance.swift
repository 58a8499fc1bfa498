import Glibc
import HeadgateTesting

/// Verifies Headgate with its own kit and prints a table: a row for every subject, a column for every rule.
@main
struct Conformance {
    static let help = """
        usage: conformance [--stress] [--thorough] [--page DIRECTORY] [NAME ...]

        Verifies Headgate's publishers, operators, subjects and subscribers against the rules of Documentation/Contract.md
        and prints a table with a row for each and a column for every rule: those whose names or families are given, or
        all. What is broken is shown below it, with the shortest events that show it. The exit status is 1 if anything is.

          --stress           lets threads meet in them instead
          --thorough         tries harder
          --page DIRECTORY   also writes conformance.svg, the table as a picture, and index.html, the table with the
                             rules in words and a picture of the events behind whatever is broken
          --help             this text
        """

    static func main() {
        do throws(Arguments.Trouble) {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.needsHelp { return print(help) }
            let chosen = try arguments.choose(from: Candidate.catalogue)
            report(try arguments.reports(of: chosen), arguments.directory)
        } catch {
            print(error.description)
            exit(2)
        }
    }

    /// Prints and writes what was found out, and ends the program if that is not good.
    private static func report(_ families: [Family<Page.Report>], _ directory: String?) {
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

    /// The table: `+` held, `#` broken, `.` not applicable, `?` not checkable.
    static func table(of families: [Family<Page.Report>]) -> String {
        let names = families.map(\.title) + families.flatMap(\.members).map(\.name)
        let width = (names.map(\.count).max() ?? 0) + 2
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
