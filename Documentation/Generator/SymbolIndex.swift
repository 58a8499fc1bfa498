/// Finds the symbol that a name means.
struct SymbolIndex {
    private var links: [String: String] = [:]

    /// By paths, with arguments and without.
    private var symbols: [String: Symbol] = [:]

    init(_ graphs: [SymbolGraph]) {
        let all = graphs.flatMap { graph in
            let page = ["", "Headgate"] + (graph.extended.map { [$0] } ?? [])
            return graph.symbols.map { (path: page + $0.path, symbol: $0) }
        }
        for (path, namesakes) in Dictionary(grouping: all, by: \.path) {
            for (_, symbol) in namesakes {
                let suffix = namesakes.count > 1 ? "-" + Self.hash(symbol.identifier) : ""
                links[symbol.identifier] = path.joined(separator: "/") + suffix
            }
        }
        for symbol in graphs.filter({ $0.extended == nil }).flatMap(\.symbols) {
            for name in [symbol.title, symbol.baseName] {
                let path = (symbol.parent + [name]).joined(separator: ".")
                self.symbols[path] = self.symbols[path] ?? symbol
            }
        }
    }

    /// What a link to a symbol says.
    func link(to symbol: Symbol) -> String? { links[symbol.identifier] }

    /// The symbol that a piece of code names: a type, or an operator with its labels.
    ///
    /// - Parameter isLoose: Whether the name of an operator is enough.
    func symbol(named code: String, isLoose: Bool = false) -> Symbol? {
        let name = code.first == "." ? String(code.dropFirst()) : code
        // A word in lower case is too often just a word.
        if name.contains("(") || isLoose, let member = symbols["Publisher.\(name)"] { return member }
        return name.first?.isUppercase == true ? symbols[name] : nil
    }

    /// How the documentation compiler tells overloads apart: FNV-1 in 32 bits, folded to 24, to the base of 36.
    static func hash(_ identifier: String) -> String {
        var hash: UInt32 = 2_166_136_261
        for byte in identifier.utf8 {
            hash = hash &* 16_777_619
            hash ^= UInt32(byte)
        }
        return String((hash >> 24) ^ (hash & 0xFFFFFF), radix: 36)
    }
}
