import Glibc
import HeadgateTesting
import HeadgateVerification

/// Verifies Headgate with its own kit and prints a table: a row per subject, a column per rule.
@main
struct Conformance {
    static let help = """
        usage: HeadgateConformance [--families] [--stress] [--thorough] [--page DIRECTORY] [NAME ...]
               HeadgateConformance --figures [NAME ...]
               HeadgateConformance [--pairs [all]] [--triples COUNT] [--seed NUMBER]

        Verifies Headgate's publishers, operators, subjects and subscribers against the rules of
        Documentation/Contract.md and prints a table with a row for each and a column per rule, for the given names or
        families, or for all. The smallest scripts that break rules are printed below it. The exit status is 1 if a rule
        is broken.

          --families         prints a row per family: a rule holds if it was checked on a member, and none breaks it
          --stress           uses several threads instead
          --thorough         runs more scripts
          --page DIRECTORY   also writes index.html, the table with the text of the rules and pictures of the events that
                             break rules
          --figures          instead compares what a stage behind each operator says of the queue before it with what
                             that has dropped and keeps
          --pairs [all]      instead runs operators before and after each other and compares what comes out with a model
                             of lists: those that join, flatten, buffer, share and use time, and a sample of the
                             others, or all. Also runs them over a subject that loses what is not requested in time.
                             Prints the smallest programs that fail
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
                exit(run.hasFailures ? 1 : 0)
            }
            let chosen = try arguments.choose(from: Candidate.catalogue)
            if arguments.needsFigures {
                let figures = Figures(of: chosen)
                print(figures.report)
                exit(figures.problems.isEmpty ? 0 : 1)
            }
            report(try arguments.reports(of: chosen), arguments)
        } catch {
            print(error.description)
            exit(2)
        }
    }

    /// Prints and writes the results, and exits with a failure if a rule is broken.
    private static func report(_ families: [Family<Page.Report>], _ arguments: Arguments) {
        print(table(of: families, isShort: arguments.isShort))
        let broken = families.flatMap(\.members).filter { !$0.verification.isConforming }
        for (name, report) in broken {
            print("\n\(name)")
            for evidence in report.broken { print(evidence) }
        }
        if let directory = arguments.directory, let trouble = Page(families: families).write(to: directory) {
            print(trouble)
            exit(2)
        }
        if !broken.isEmpty { exit(1) }
    }

    /// The table: `+` held, `#` broken, `.` not applicable, `?` not checkable.
    ///
    /// A short one has a row for each family: a rule is broken if a member breaks it, and held if it was checked on one.
    static func table(of families: [Family<Page.Report>], isShort: Bool = false) -> String {
        let names = families.map(\.title) + (isShort ? [] : families.flatMap(\.members).map(\.name))
        let width = (names.map(\.count).max() ?? 0) + 2
        func line(_ name: String, _ cells: String) -> String {
            name + String(repeating: " ", count: max(0, width - name.count)) + cells
        }
        func row(_ name: String, _ kinds: [Page.Kind]) -> String {
            line(name, " " + kinds.map(\.sign).joined(separator: "   "))
        }
        let numbers = Page.rules.map(\.number).joined(separator: " ")
        let rows = families.map { family in
            (title: family.title, rows: family.members.map { ($0.name, Page.rules.map($0.verification.kind(of:))) })
        }
        let legend = "+ held   # broken   . not applicable   ? not checkable"
        if isShort {
            let lines = rows.map { title, rows in
                row(
                    title,
                    Page.rules.indices.map { rule in
                        let kinds = rows.map { $0.1[rule] }
                        return [.broken, .held, .notCheckable].first(where: kinds.contains) ?? .notApplicable
                    })
            }
            return ([line("", numbers)] + lines + ["", legend]).joined(separator: "\n")
        }
        let blocks = rows.map { ([line($0, numbers)] + $1.map(row)).joined(separator: "\n") }
        return (blocks + [legend]).joined(separator: "\n\n")
    }
}

extension Verification {
    fileprivate func kind(of rule: Rule) -> Page.Kind { Page.Kind(self[rule]) }
}
