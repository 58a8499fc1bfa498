import Foundation

/// The public interface of a module as text: a line for each symbol and each conformance, in order.
struct Interface {
    let lines: [String]

    init(of graphs: [SymbolGraph]) {
        var lines: Set<String> = []
        var names: [String: String] = [:]
        for symbol in graphs.flatMap(\.symbols).map(Symbol.init) {
            let name = symbol.path.joined(separator: ".")
            names[symbol.identifier] = name
            lines.insert("\(name) | \(symbol.declaration)")
        }
        for relationship in graphs.flatMap(\.relationships) {
            guard let kind = relationship["kind"] as? String, kind == "conformsTo" || kind == "inheritsFrom",
                let source = relationship["source"] as? String, let target = relationship["target"] as? String
            else { continue }
            // Of what is extended, only the name is known; of what is conformed to, the compiler writes one down.
            let fallback = relationship["targetFallback"] as? String
            guard let from = names[source] ?? Self.spoken(source), let to = names[target] ?? fallback else { continue }
            lines.insert("\(from): \(to)")
        }
        self.lines = lines.sorted()
    }

    /// The name of a type of another module: what the compiler's name for it says.
    private static func spoken(_ identifier: String) -> String? { identifier.hasPrefix("s:") ? identifier : nil }
}
