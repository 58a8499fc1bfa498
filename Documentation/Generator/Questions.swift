import Foundation

/// "Which operator do I need?" as questions: the tree of `Documentation/Book/questions.json`, with the page and picture of each operator.
///
/// An operator is named as in the table of `Documentation/Operators.md`, all of whose names have to be in the tree.
struct Questions {
    /// A question with its answers, or an answer that is an operator.
    struct Node: Codable {
        var question: String?
        var answer: String?
        var answers: [Node]?

        /// The answer elsewhere on the first page of questions whose question follows.
        var goTo: String?
        var name: String?

        /// Below the address of the site's symbols, where the name alone would mean another page.
        var page: String?
        var also: [String]?

        // What is found out about an operator, for the page that shows it.
        var path: String?
        var summary: String?
        var imports: String?
        var picture: String?
        var others: [[String]]?

        enum CodingKeys: String, CodingKey {
            case question, answer, answers, goTo, name = "operator", page, also, path, summary, imports, picture, others
        }
    }

    private(set) var root: Node

    /// The operators at which the questions end.
    private(set) var leaves: [Node] = []
    private let pages: OperatorPages

    init(repository: URL, pages: [Page]) throws {
        self.pages = OperatorPages(pages)
        let folder = repository.appendingPathComponent("Documentation")
        root = try JSONDecoder().decode(
            Node.self, from: Data(contentsOf: folder.appendingPathComponent("Book/questions.json")))
        var problems: [String] = []
        let topics = Set(root.answers?.compactMap(\.answer) ?? [])
        root = completed(root, topics: topics, problems: &problems)
        let table = try String(contentsOf: folder.appendingPathComponent("Operators.md"), encoding: .utf8)
        let reached = Set(leaves.flatMap { [$0.name].compactMap { $0 } + ($0.also ?? []) })
        for name in Self.names(inTable: table) where !reached.contains(name) {
            problems.append("No answer leads to \(name), which the table of Operators.md has.")
        }
        if !problems.isEmpty {
            throw Complaint("Documentation/Book/questions.json:\n" + problems.joined(separator: "\n"))
        }
    }

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        return try encoder.encode(root)
    }

    /// The names of the second column of the tables.
    static func names(inTable text: String) -> [String] {
        text.components(separatedBy: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") }.flatMap { row in
            let cells = row.components(separatedBy: " | ")
            return cells.count > 1 ? cells[1].matches(of: /`([^`]+)`/).map { String($0.output.1) } : []
        }
    }

    private mutating func completed(_ node: Node, topics: Set<String>, problems: inout [String]) -> Node {
        var node = node
        if node.answers != nil {
            if node.question == nil { problems.append("\"\(node.answer ?? "")\" has answers and no question.") }
            for index in node.answers!.indices {
                node.answers![index] = completed(node.answers![index], topics: topics, problems: &problems)
            }
        } else if let topic = node.goTo {
            if !topics.contains(topic) { problems.append("There is no answer \"\(topic)\" to the first question.") }
        } else if let name = node.name {
            complete(&node, name: name, problems: &problems)
            leaves.append(node)
        } else {
            problems.append("\"\(node.answer ?? "")\" leads nowhere.")
        }
        return node
    }

    private func complete(_ node: inout Node, name: String, problems: inout [String]) {
        if let page = pages.page(named: name, at: node.page) {
            node.path = page.path
            node.summary = page.summary
            node.imports = page.imports
            node.picture = page.picture ?? pages.pictureOfNamesake(of: page)
            if node.picture == nil, !DocumentationComments.withoutPicture.contains(page.baseName) {
                problems.append("\(name) has no picture on \(page.path).")
            }
        } else {
            problems.append("There is no page of \(name).")
        }
        node.others = node.also?.compactMap { other in
            guard let page = pages.page(named: other) else {
                problems.append("There is no page of \(other).")
                return nil
            }
            return [other, page.path]
        }
    }
}

/// Finds the page of an operator by the name that it has in tables.
struct OperatorPages {
    private let byBaseName: [String: [Page]]
    private static let root = "/documentation/headgate/"

    init(_ pages: [Page]) {
        byBaseName = Dictionary(grouping: pages.filter { $0.identifier != nil && !$0.isExtension }, by: \.baseName)
    }

    /// - Parameters:
    ///   - name: Such as `map`, `batch(count:)`, `Publishers.timer` or `[…].merge()`.
    ///   - place: Its page below the symbols, if the name may mean several.
    func page(named name: String, at place: String? = nil) -> Page? {
        let first = name.hasPrefix("[…]") ? "collection" + name.dropFirst(3) : name
        let plain = String(first.prefix { $0 != "(" })
        let parts = plain.split(separator: ".").map(String.init)
        guard let base = parts.last, let candidates = byBaseName[base] else { return nil }
        if let place { return candidates.first { $0.path == Self.root + place } }
        let owners =
            parts.count > 1
            ? [parts[parts.count - 2].lowercased()]
            : ["publisher", "connectablepublisher", "headgate", "publishers", "collection"]
        let labels = Self.labels(of: first)
        for owner in owners {
            let fitting = candidates.filter { page in
                page.path.split(separator: "/").dropLast().last.map(String.init) == owner
                    && Self.isContained(labels, in: Self.labels(of: page.title))
            }
            if let best = fitting.min(by: { rank($0) < rank($1) }) { return best }
        }
        return nil
    }

    /// Overloads share a picture.
    func pictureOfNamesake(of page: Page) -> String? {
        let owner = page.path.split(separator: "/").dropLast()
        return byBaseName[page.baseName]?.first {
            $0.picture != nil && $0.path.split(separator: "/").dropLast() == owner
        }?.picture
    }

    private func rank(_ page: Page) -> (Int, Int, String) {
        (page.picture == nil ? 1 : 0, Self.labels(of: page.title).count, page.path)
    }

    /// Of `receive(on: actor)` and of `receive(on:)`, `on`.
    static func labels(of name: String) -> [String] {
        guard let open = name.firstIndex(of: "("), let close = name[open...].firstIndex(of: ")") else { return [] }
        return name[name.index(after: open)..<close].split { ":,".contains($0) }
            .map { String($0).trimmed }.filter { !$0.isEmpty && $0 != "…" && $0 != "actor" }
    }

    /// Whether the labels are among others, in their order.
    static func isContained(_ labels: [String], in others: [String]) -> Bool {
        var rest = others[...]
        for label in labels {
            guard let index = rest.firstIndex(of: label) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }
}
