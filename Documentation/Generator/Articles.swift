import Foundation

/// Turns the pages of the repository into articles: their links lead to articles, and names to symbols.
struct Articles {
    let repository: URL
    let index: SymbolIndex

    /// The pages, by the names of their articles.
    let pages: [String: URL]

    init(repository: URL, index: SymbolIndex) throws {
        self.repository = repository
        self.index = index
        let folder = repository.appendingPathComponent("Documentation").resolvingSymlinksInPath()
        var pages: [String: URL] = [:]
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.pathExtension == "md" {
            pages[file.deletingPathExtension().lastPathComponent] = file
        }
        pages["Results"] = repository.appendingPathComponent("Benchmarks/RESULTS.md")
        pages["Contributing"] = repository.appendingPathComponent("CONTRIBUTING.md")
        pages["Changelog"] = repository.appendingPathComponent("CHANGELOG.md")
        pages["Security"] = repository.appendingPathComponent("SECURITY.md")
        self.pages = pages
    }

    func write(to catalog: URL) throws {
        for (name, page) in pages {
            let text = try converted(String(contentsOf: page, encoding: .utf8), at: page)
            try text.write(
                to: catalog.appendingPathComponent("\(name).md"), atomically: true, encoding: .utf8)
        }
    }

    private func converted(_ text: String, at page: URL) throws -> String {
        var isCode = false
        let isTable = page.lastPathComponent == "Operators.md"
        return try text.components(separatedBy: "\n").map { line in
            if line.trimmed.hasPrefix("```") {
                isCode.toggle()
                return CodeBlock.withoutUse(line)
            }
            if isCode { return line }
            var line = try withLinks(line, at: page)
            if isTable, line.hasPrefix("| ") {
                var cells = line.components(separatedBy: " | ")
                if cells.count > 1 { cells[1] = Links(index: index, isLoose: true).added(to: cells[1]) }
                line = cells.joined(separator: " | ")
            } else if !line.hasPrefix("#") {
                line = Links(index: index).added(to: line)
            }
            return line
        }.joined(separator: "\n")
    }

    /// Leads the links of a line to articles; what is not on the site loses its link.
    private func withLinks(_ line: String, at page: URL) throws -> String {
        var result = ""
        var rest = Substring(line)
        while let match = rest.firstMatch(of: /(!?)\[([^\]]*)\]\(([^)\s]+)\)/) {
            result += rest[..<match.range.lowerBound]
            let (_, mark, text, target) = match.output
            result += try link(isImage: !mark.isEmpty, text: String(text), target: String(target), at: page)
            rest = rest[match.range.upperBound...]
        }
        return result + rest
    }

    private func link(isImage: Bool, text: String, target: String, at page: URL) throws -> String {
        if target.hasPrefix("http") { return "[\(text)](\(target))" }
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let file = parts[0].isEmpty ? page : page.deletingLastPathComponent().appendingPathComponent(parts[0])
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw Complaint("\(page.lastPathComponent) links to \(target), which does not exist.")
        }
        // Where the picture is too wide for a page, the site has a page of tables.
        if isImage, file.lastPathComponent == "conformance.svg" { return "<doc:Conformance> is the table." }
        if isImage { return "![\(text)](\(file.deletingPathExtension().lastPathComponent))" }
        guard
            let article = pages.first(where: { $0.value.resolvingSymlinksInPath() == file.resolvingSymlinksInPath() })?
                .key
        else {
            return text
        }
        guard parts.count == 2 else { return "[\(text)](doc:\(article))" }
        guard let heading = try heading(for: parts[1], in: file) else {
            throw Complaint("\(page.lastPathComponent) links to \(target), and there is no such heading.")
        }
        return "[\(text)](<doc:\(article)#\(heading)>)"
    }

    /// The name that a heading has on the site.
    private func heading(for anchor: String, in file: URL) throws -> String? {
        let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        for line in lines where line.hasPrefix("#") {
            let words = String(line.drop { $0 == "#" || $0 == " " })
            let slug = words.lowercased().compactMap { character -> Character? in
                character == " "
                    ? "-" : character.isLetter || character.isNumber || "-_".contains(character) ? character : nil
            }
            if String(slug) == anchor {
                return words.split { !($0.isLetter || $0.isNumber) && !"-_".contains($0) }.joined(separator: "-")
            }
        }
        return nil
    }
}
