import Foundation

/// The public interface of a module as text: a line for each symbol and each conformance, in order.
struct Interface {
    let lines: [String]

    init(of graphs: [SymbolGraph]) {
        var lines: Set<String> = []
        var paths: [String: [String]] = [:]
        for symbol in graphs.flatMap(\.symbols) {
            paths[symbol.identifier] = symbol.path
            lines.insert("\(symbol.path.joined(separator: ".")) | \(symbol.declaration)")
        }
        let relationships = graphs.flatMap(\.relationships)
        for member in relationships where member.kind == "memberOf" && paths[member.target] == nil {
            // Of a type of another module, only its members say the name.
            paths[member.target] = paths[member.source].map { Array($0.dropLast()) }
        }
        for conformance in relationships where ["conformsTo", "inheritsFrom"].contains(conformance.kind) {
            // Of what is extended, only the name is known; of what is conformed to, the compiler writes one down.
            let target = paths[conformance.target]?.joined(separator: ".") ?? conformance.targetFallback
            guard let type = paths[conformance.source]?.joined(separator: "."), let target else { continue }
            // What every type has says nothing.
            if ["Swift.Copyable", "Swift.Escapable"].contains(target) { continue }
            lines.insert("\(type): \(target)")
        }
        self.lines = lines.sorted()
    }
}
