import Foundation

/// Fills the pages of topics: what stands in which folder is read from the symbols.
///
/// A page of a catalogue names its folders in one line, `<!-- folders: HeadgateCombine/Filtering Headgate/Filtering -->`, in
/// the place of which the topics come.
struct TopicPages {
    private let index: SymbolIndex
    private let symbols: [String: [Symbol]]

    /// The folders that stand on a page.
    private var shown: Set<String> = []

    init(index: SymbolIndex, symbols: [Symbol]) {
        self.index = index
        self.symbols = Dictionary(grouping: symbols.filter(Self.belongsOnAPage)) { $0.folder ?? "" }
    }

    /// Whether a symbol is one that a reader looks for by what it does, and not a member of such.
    private static func belongsOnAPage(_ symbol: Symbol) -> Bool {
        let parents: [[String]] = [["Publisher"], ["Publishers"], ["Subscribers"], ["Subscriptions"]]
        if symbol.folder == nil || symbol.kind == "swift.extension" { return false }
        return symbol.parent.isEmpty || parents.contains(symbol.parent)
    }

    /// The folders that have symbols and no page.
    var forgotten: [String] { symbols.keys.filter { !$0.isEmpty && !shown.contains($0) }.sorted() }

    mutating func fill(_ text: String) throws -> String {
        try text.components(separatedBy: "\n").map { line in
            guard let match = line.firstMatch(of: /<!-- folders: (.*) -->/) else { return line }
            let folders = match.output.1.split(separator: " ").map(String.init)
            for folder in folders {
                guard symbols[folder] != nil else { throw Complaint("There is nothing public in \(folder).") }
                shown.insert(folder)
            }
            return topics(of: folders)
        }.joined(separator: "\n")
    }

    private func topics(of folders: [String]) -> String {
        var groups: [(title: String, symbols: [Symbol])] = []
        for folder in folders {
            let all = (symbols[folder] ?? []).sorted { ($0.baseName, $0.title) < ($1.baseName, $1.title) }
            let suffix = folders.count == 1 ? "" : folder.hasPrefix("Headgate/") ? " added by Headgate" : " of Combine"
            groups.append(("Operators" + suffix, all.filter { $0.parent == ["Publisher"] }))
            groups.append(("Types" + suffix, all.filter { $0.parent.isEmpty }))
            groups.append(
                ("Publishers and members" + suffix, all.filter { !$0.parent.isEmpty && $0.parent != ["Publisher"] }))
        }
        let sections = groups.filter { !$0.symbols.isEmpty }.map { title, symbols in
            let links = symbols.compactMap { index.link(to: $0) }.map { "- ``\($0)``" }
            return "### \(title)\n\n" + links.joined(separator: "\n")
        }
        return "## Topics\n\n" + sections.joined(separator: "\n\n")
    }
}
