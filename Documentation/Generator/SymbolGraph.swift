import Foundation

/// A symbol graph, as far as it matters here: the JSON is kept, and changed in place.
struct SymbolGraph {
    private(set) var content: [String: Any]

    var symbols: [Symbol] {
        get { (content["symbols"] as? [[String: Any]] ?? []).map(Symbol.init) }
        set { content["symbols"] = newValue.map(\.json) }
    }

    var relationships: [[String: Any]] {
        get { content["relationships"] as? [[String: Any]] ?? [] }
        set { content["relationships"] = newValue }
    }

    init(at url: URL) throws {
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
        guard let content = json as? [String: Any] else { throw Complaint("\(url.path) is no symbol graph.") }
        self.content = content
    }

    /// Several graphs as one, of the module `Headgate`; `nil` if there is none.
    init?(of graphs: [SymbolGraph]) {
        guard let first = graphs.first else { return nil }
        content = first.content
        var known: Set<String> = []
        symbols = graphs.flatMap(\.symbols).filter { known.insert($0.identifier).inserted }
        relationships = graphs.flatMap(\.relationships)
        content["module"] = (content["module"] as? [String: Any] ?? [:]).merging(["name": "Headgate"]) { $1 }
    }

    func write(to url: URL) throws {
        try JSONSerialization.data(withJSONObject: content, options: [.sortedKeys]).write(to: url)
    }
}

/// What is read of a symbol.
struct Symbol {
    var json: [String: Any]

    var identifier: String { (json["identifier"] as? [String: Any])?["precise"] as? String ?? "" }
    var path: [String] { json["pathComponents"] as? [String] ?? [] }
    var title: String { path.last ?? "" }
    var parent: [String] { Array(path.dropLast()) }
    var kind: String { (json["kind"] as? [String: Any])?["identifier"] as? String ?? "" }

    /// The name without arguments.
    var baseName: String { String(title.prefix { $0 != "(" }) }

    /// The file in which it is declared, below `Sources`; `nil` for what is made by the compiler.
    var file: String? {
        let location = json["location"] as? [String: Any]
        return (location?["uri"] as? String)?.components(separatedBy: "/Sources/").last
    }

    /// The folder in which it is declared: of `Headgate/Timing/Delay.swift`, `Headgate/Timing`.
    var folder: String? { file.map { $0.split(separator: "/").dropLast().joined(separator: "/") } }

    var module: String? { file.flatMap { $0.split(separator: "/").first }.map(String.init) }

    /// The lines of its documentation; they stay away from what has none.
    var documentation: [String] {
        get {
            let lines = (json["docComment"] as? [String: Any])?["lines"] as? [[String: Any]] ?? []
            return lines.map { $0["text"] as? String ?? "" }
        }
        set {
            guard var comment = json["docComment"] as? [String: Any] else { return }
            comment["lines"] = newValue.map { ["text": $0] }
            json["docComment"] = comment
        }
    }

    /// The declaration, on one line.
    var declaration: String {
        let fragments = json["declarationFragments"] as? [[String: Any]] ?? []
        return fragments.map { $0["spelling"] as? String ?? "" }.joined()
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
