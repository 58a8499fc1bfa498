import Glibc
import HeadgateTesting
import HeadgateVerification

/// Shows the verifier's results as a page.
struct Page {
    /// The result for one subject.
    typealias Report = (name: String, verification: Verification)

    let families: [Family<Report>]

    private var reports: [Report] { families.flatMap(\.members) }

    /// The rules that have a column; schedulers have rules of their own.
    static let rules = Rule.all.filter { $0.chapter < 7 }

    /// Writes `index.html`.
    ///
    /// - Returns: A description of the failure; `nil` on success.
    func write(to directory: String) -> String? {
        if mkdir(directory, 0o777) != 0, errno != EEXIST {
            return "\(directory) can't be made: \(String(cString: strerror(errno)))"
        }
        let path = "\(directory)/index.html"
        guard let file = fopen(path, "w") else {
            return "\(path) can't be written: \(String(cString: strerror(errno)))"
        }
        let isWritten = fputs(html, file) >= 0
        if fclose(file) != 0 || !isWritten {
            return "\(path) can't be written: \(String(cString: strerror(errno)))"
        }
        return nil
    }

    /// The table as a page, with the text of the rules, and below it the smallest scripts that break rules.
    var html: String {
        let heads = Self.rules.map { rule in
            "<th scope=\"col\"><a href=\"#rule-\(rule.number)\">\(rule.number)</a></th>"
        }
        let groups = families.map { family in
            let title = "<tr><th scope=\"rowgroup\">\(family.title.escaped)</th></tr>"
            let rows = family.members.map { name, verification in
                "<tr><th scope=\"row\">\(name.escaped)</th>"
                    + Self.rules.map { cell(verification[$0]) }.joined() + "</tr>"
            }
            return (["<tbody>", title] + rows + ["</tbody>"]).joined(separator: "\n")
        }
        let sentences = Self.rules.map { rule in
            "<dt id=\"rule-\(rule.number)\">\(rule.number)</dt><dd>\(rule.sentence.withCode)</dd>"
        }
        let legend = Kind.allCases.map { "<span class=\"\($0.rawValue)\">\($0.sign)</span> \($0.words)" }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>Conformance</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <h1>Conformance</h1>
            <p>A row per subject, a column per rule. \(summary)</p>
            <p>\(legend.joined(separator: " &nbsp; "))</p>
            <table>
            <thead><tr><th></th>\(heads.joined())</tr></thead>
            \(groups.joined(separator: "\n"))
            </table>
            \(broken)<h2>The rules</h2>
            <dl>
            \(sentences.joined(separator: "\n"))
            </dl>
            </body>
            </html>

            """
    }

    private var summary: String {
        let count = reports.filter { !$0.verification.isConforming }.count
        return count == 0 ? "No rule is broken." : "Rules are broken by \(count) of \(reports.count)."
    }

    private func cell(_ verdict: Verification.Verdict) -> String {
        let kind = Kind(verdict)
        let reason =
            switch verdict {
            case .held: ""
            case .broken(let evidence): " title=\"\(evidence.breach.finding.escaped)\""
            case .notApplicable(let reason), .notCheckable(let reason): " title=\"\(reason.escaped)\""
            }
        return "<td class=\"\(kind.rawValue)\"\(reason)>\(kind.sign)</td>"
    }

    /// The smallest script for each broken rule.
    private var broken: String {
        let sections = reports.flatMap { name, verification in
            verification.broken.map { evidence in
                """
                <section>
                <h3>\(name.escaped) breaks \(evidence.breach.rule.number)</h3>
                <p>\(evidence.breach.rule.sentence.withCode)</p>
                <p>Found: \(evidence.breach.finding.escaped). Script: \(evidence.script.escaped).</p>
                <pre>\(evidence.timeLine.description.escaped)</pre>
                </section>

                """
            }
        }
        return sections.isEmpty ? "" : "<h2>What is broken</h2>\n" + sections.joined()
    }

    private static let style = """
        :root { color-scheme: light dark; }
        body { font: 15px/1.5 sans-serif; margin: 2em; }
        table { border-collapse: separate; border-spacing: 2px; font-size: 12px; }
        th[scope=row], th[scope=rowgroup] { text-align: right; white-space: nowrap; padding-right: 0.5em; }
        th[scope=row] { font-weight: normal; }
        th[scope=rowgroup] { padding-top: 1em; }
        th a { color: inherit; text-decoration: none; }
        td, span[class] { text-align: center; min-width: 1.8em; border-radius: 3px; }
        span[class] { display: inline-block; }
        .held { background: #2c8a4b; color: #fff; }
        .broken { background: #d1443f; color: #fff; font-weight: bold; }
        .not-applicable { color: #6e7781; }
        .not-checkable { color: #6e7781; box-shadow: inset 0 0 0 1px #6e7781; }
        dt { float: left; font-weight: bold; }
        dd { margin-left: 3em; }
        """
}

extension Page {
    /// The content of a cell.
    enum Kind: String, CaseIterable {
        case held
        case broken
        case notApplicable = "not-applicable"
        case notCheckable = "not-checkable"

        init(_ verdict: Verification.Verdict) {
            self =
                switch verdict {
                case .held: .held
                case .broken: .broken
                case .notApplicable: .notApplicable
                case .notCheckable: .notCheckable
                }
        }

        /// The sign in the table.
        var sign: String {
            switch self {
            case .held: "+"
            case .broken: "#"
            case .notApplicable: "."
            case .notCheckable: "?"
            }
        }

        var words: String {
            switch self {
            case .held: "held"
            case .broken: "broken"
            case .notApplicable: "not applicable"
            case .notCheckable: "not checkable"
            }
        }
    }
}

extension String {
    /// The text escaped for HTML.
    var escaped: String {
        reduce(into: "") { text, character in
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            default: text.append(character)
            }
        }
    }

    /// The text in HTML, with backquoted parts as code.
    fileprivate var withCode: String {
        escaped.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset.isMultiple(of: 2) ? String($0.element) : "<code>\($0.element)</code>" }.joined()
    }
}
