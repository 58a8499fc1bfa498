import Foundation

/// The public interface of a module as text: a line for each symbol and each conformance, in order.
struct Interface {
    let lines: [String]

    init(of graphs: [SymbolGraph]) {
        var lines: Set<String> = []
        var names: [String: String] = [:]
        for symbol in graphs.flatMap(\.symbols) {
            let name = symbol.path.joined(separator: ".")
            names[symbol.identifier] = name
            lines.insert("\(name) | \(symbol.declaration)")
        }
        let relationships = graphs.flatMap(\.relationships)
        for relationship in relationships where relationship["kind"] as? String == "memberOf" {
            // Of a type of another module, only its members say the name.
            guard let member = relationship["source"] as? String, let type = relationship["target"] as? String,
                names[type] == nil, let name = names[member]
            else { continue }
            names[type] = Self.enclosing(name)
        }
        for relationship in relationships {
            guard let kind = relationship["kind"] as? String, kind == "conformsTo" || kind == "inheritsFrom",
                let source = relationship["source"] as? String, let target = relationship["target"] as? String
            else { continue }
            // Of what is extended, only the name is known; of what is conformed to, the compiler writes one down.
            let fallback = relationship["targetFallback"] as? String
            guard let from = names[source], let to = names[target] ?? fallback else { continue }
            // What every type has says nothing.
            if ["Swift.Copyable", "Swift.Escapable"].contains(to) { continue }
            lines.insert("\(from): \(to)")
        }
        self.lines = lines.sorted()
    }

    /// Of `String.Encoding.make(_:)`, `String.Encoding`.
    private static func enclosing(_ name: String) -> String {
        let arguments = name.firstIndex(of: "(") ?? name.endIndex
        return String(name[..<(name[..<arguments].lastIndex(of: ".") ?? arguments)])
    }
}
