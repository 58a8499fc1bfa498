/// Finds the symbol that a name means.
struct SymbolIndex {
    private var links: [String: String] = [:]
    private var members: [String: [Symbol]] = [:]
    private var paths: [String: [Symbol]] = [:]

    /// - Parameters:
    ///   - symbols: Everything of the module.
    ///   - foreign: What extends types of other modules, by their names.
    init(symbols: [Symbol], foreign: [(module: String, symbol: Symbol)]) {
        let byPath = Dictionary(grouping: symbols, by: \.path)
        for symbol in symbols {
            let isAmbiguous = (byPath[symbol.path]?.count ?? 0) > 1
            let suffix = isAmbiguous ? "-" + Self.hash(symbol.identifier) : ""
            links[symbol.identifier] = "/Headgate/" + symbol.path.joined(separator: "/") + suffix
            let spoken = symbol.path.joined(separator: ".")
            paths[spoken, default: []].append(symbol)
            paths[(symbol.parent + [symbol.baseName]).joined(separator: "."), default: []].append(symbol)
            if symbol.parent == ["Publisher"] {
                members[symbol.title, default: []].append(symbol)
                members[symbol.baseName, default: []].append(symbol)
            }
        }
        let foreignPaths = Dictionary(grouping: foreign) { $0.module + "/" + $0.symbol.path.joined(separator: "/") }
        for (path, namesakes) in foreignPaths {
            for (_, symbol) in namesakes {
                let suffix = namesakes.count > 1 ? "-" + Self.hash(symbol.identifier) : ""
                links[symbol.identifier] = "/Headgate/" + path + suffix
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
        guard name.first?.isLetter == true else { return nil }
        // A word in lower case is too often just a word.
        if name.contains("(") || isLoose, let member = members[name]?.first { return member }
        let first = name.split(separator: ".").first ?? ""
        guard first.first?.isUppercase == true else { return nil }
        return paths[name]?.first
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
