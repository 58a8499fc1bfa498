import Foundation

/// A symbol graph, as far as it matters here: the JSON is kept, and changed in place.
struct SymbolGraph {
    /// The module whose types it extends, if they are those of another.
    let extended: String?
    private var content: [String: Any]

    var symbols: [Symbol] {
        get { (content["symbols"] as? [[String: Any]] ?? []).map(Symbol.init) }
        set { content["symbols"] = newValue.map(\.json) }
    }

    var relationships: [Relationship] {
        get { (content["relationships"] as? [[String: Any]] ?? []).map(Relationship.init) }
        set { content["relationships"] = newValue.map(\.json) }
    }

    /// The graphs of modules in a folder: of each its own, and those of what it extends.
    static func all(of modules: [String], in folder: URL) throws -> [SymbolGraph] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try modules.flatMap { module in
            try names.compactMap { name in
                guard let match = name.wholeMatch(of: /(\w+)(?:@(\w+))?\.symbols\.json/), match.1 == module else {
                    return nil
                }
                let json = try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appendingPathComponent(name)))
                return SymbolGraph(extended: match.2.map(String.init), content: json as? [String: Any] ?? [:])
            }
        }
    }

    init(extended: String?, content: [String: Any]) {
        self.extended = extended
        self.content = content
    }

    /// Several graphs as one, of the module `Headgate`.
    init(of graphs: [SymbolGraph], extended: String?) {
        self.init(extended: extended, content: graphs.first?.content ?? [:])
        var known: Set<String> = []
        symbols = graphs.flatMap(\.symbols).filter { known.insert($0.identifier).inserted }
        relationships = graphs.flatMap(\.relationships)
        content["module"] = (content["module"] as? [String: Any] ?? [:]).merging(["name": "Headgate"]) { $1 }
    }

    mutating func changeSymbols(_ change: (inout Symbol) -> Void) {
        var changed = symbols
        for place in changed.indices { change(&changed[place]) }
        symbols = changed
    }

    func write(to folder: URL) throws {
        let name = "Headgate\(extended.map { "@\($0)" } ?? "").symbols.json"
        try JSONSerialization.data(withJSONObject: content, options: [.sortedKeys])
            .write(to: folder.appendingPathComponent(name))
    }
}

/// That a symbol is a member of another, conforms to it or inherits from it.
struct Relationship {
    let json: [String: Any]

    var kind: String { json["kind"] as? String ?? "" }
    var source: String { json["source"] as? String ?? "" }
    var target: String { json["target"] as? String ?? "" }
    var targetFallback: String? { json["targetFallback"] as? String }
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
