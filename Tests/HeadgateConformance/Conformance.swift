import Glibc
import HeadgateTesting

/// Verifies Headgate with its own kit and prints a table: a row per subject, a column per rule.
@main
struct Conformance {
    static let help = """
        usage: HeadgateConformance [--stress] [--thorough] [--page DIRECTORY] [NAME ...]
               HeadgateConformance [--pairs [all]] [--triples COUNT] [--seed NUMBER]

        Verifies Headgate's publishers, operators, subjects and subscribers against the rules of
        Documentation/Contract.md and prints a table with a row for each and a column per rule, for the given names or
        families, or for all. The smallest scripts that break rules are printed below it. The exit status is 1 if a rule
        is broken.

          --stress           uses several threads instead
          --thorough         runs more scripts
          --page DIRECTORY   also writes conformance.svg, a picture of the table with a row for each family, and
                             index.html, the table with the text of the rules and pictures of the events that break
                             rules
          --pairs [all]      instead runs operators before and after each other and compares what comes out with a model
                             of lists: those that join, flatten, buffer, share and use time, and a sample of the
                             others, or all. Prints the smallest programs that fail
          --triples COUNT    instead, or also, runs random chains of three operators
          --seed NUMBER      chooses the sample and the chains
          --help             this text
        """

    static func main() {
        do throws(Arguments.Trouble) {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.needsHelp { return print(help) }
            if arguments.pairs != nil || arguments.triples > 0 {
                let run = arguments.runPairs()
                print(run.report)
                exit(run.failures.isEmpty ? 0 : 1)
            }
            let chosen = try arguments.choose(from: Candidate.catalogue)
            report(try arguments.reports(of: chosen), arguments.directory)
        } catch {
            print(error.description)
            exit(2)
        }
    }

    /// Prints and writes the results, and exits with a failure if a rule is broken.
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
