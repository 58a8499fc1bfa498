import Foundation

/// Turns the guides into articles of the site: their links lead to articles, and names to symbols.
///
/// A guide is a page outside of the catalogues, to which a symbolic link in one of them leads. `docc` follows it, and so does whoever
/// reads the repository by the guides' own links.
struct Articles {
    let index: SymbolIndex

    /// The guides, by the names of their articles.
    private let guides: [String: URL]

    init(pages: [URL], index: SymbolIndex) {
        self.index = index
        let guides = pages.filter(\.isLink).map { ($0.stem, $0.resolvingSymlinksInPath()) }
        self.guides = Dictionary(guides) { first, _ in first }
    }

    /// The text of a guide as an article; `nil` if the page is no guide.
    func converted(_ page: URL) throws -> String? {
        guard let guide = guides[page.stem] else { return nil }
        let isTable = guide.lastPathComponent == "Operators.md"
        return try Markdown(guide.text()).rewritten { line in
            let line = try withLinks(line, at: guide)
            guard isTable, line.hasPrefix("| ") else { return Links(index: index).added(to: line) }
            var cells = line.components(separatedBy: " | ")
            if cells.count > 1 { cells[1] = Links(index: index, isLoose: true).added(to: cells[1]) }
            return cells.joined(separator: " | ")
        }
    }

    /// Leads the links of a line to articles; what is not on the site loses its link.
    private func withLinks(_ line: String, at page: URL) throws -> String {
        try line.replacing(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/) { match in
            let isKept = !match.1.isEmpty || match.3.hasPrefix("http")
            return try isKept ? String(match.0) : link(String(match.2), to: String(match.3), at: page)
        }
    }

    private func link(_ text: String, to target: String, at page: URL) throws -> String {
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let file = parts[0].isEmpty ? page : page.deletingLastPathComponent().appendingPathComponent(parts[0])
        guard let article = guides.first(where: { $0.value == file.resolvingSymlinksInPath() })?.key else {
            return text
        }
        guard parts.count == 2 else { return "[\(text)](doc:\(article))" }
        // docc complains of what is no heading.
        return try "[\(text)](<doc:\(article)#\(heading(for: parts[1], in: file) ?? parts[1])>)"
    }

    /// The name that a heading has on the site.
    private func heading(for anchor: String, in file: URL) throws -> String? {
        for line in try file.text().components(separatedBy: "\n") where line.hasPrefix("#") {
            let words = line.drop { $0 == "#" || $0 == " " }
            let slug = words.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
            if slug.replacingOccurrences(of: " ", with: "-") == anchor {
                return words.split { !($0.isLetter || $0.isNumber) && !"-_".contains($0) }.joined(separator: "-")
            }
        }
        return nil
    }
}
