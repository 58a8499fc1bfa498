import Foundation
import HeadgateTesting

/// Turns the comments of symbols into what stands on their pages: time-lines into pictures, names into links.
struct DocumentationComments {
    private let index: SymbolIndex

    /// The pictures to write, by name.
    private(set) var pictures: [String: OperatorPicture] = [:]

    /// Of operators that have a time-line, what shows it.
    private var pictureOfOperator: [String: String] = [:]

    /// The operators of which there is no picture, under any of their names.
    private(set) var missing: [String] = []

    /// What has no time-line, because nothing happens to values.
    static let withoutPicture: Set<String> = [
        "receive", "subscribe", "eraseToAnyPublisher", "tasks", "describe", "reader", "record", "observe",
    ]

    init(index: SymbolIndex) { self.index = index }

    /// Rewrites the comments of all graphs; an operator in one may show the picture of its namesake in another.
    mutating func rewrite(_ graphs: inout [SymbolGraph]) {
        var texts = graphs.map { $0.symbols.map { Symbol(json: $0).documentation } }
        for (place, graph) in graphs.enumerated() {
            for (number, json) in graph.symbols.enumerated() { draw(Symbol(json: json), in: &texts[place][number]) }
        }
        for (place, graph) in graphs.enumerated() {
            graphs[place].symbols = graph.symbols.enumerated().map { number, json in
                let symbol = Symbol(json: json)
                var text = texts[place][number]
                showOverload(symbol, in: &text)
                guard !text.isEmpty, var comment = json["docComment"] as? [String: Any] else { return json }
                text += Self.imports(of: symbol)
                let linked = Links(index: index).added(toPage: text.joined(separator: "\n"), except: symbol)
                comment["lines"] = linked.components(separatedBy: "\n").map { ["text": $0] }
                var json = json
                json["docComment"] = comment
                return json
            }
        }
    }

    /// What a program imports to use what stands on a page of its own: on the site, the modules are one.
    private static func imports(of symbol: Symbol) -> [String] {
        guard let module = symbol.module else { return [] }
        let isInBoth = ["HeadgateCore", "HeadgateCombine"].contains(module)
        return ["", "> Import: `\(isInBoth ? "Headgate` or `HeadgateCombine" : module)`"]
    }

    /// Puts a picture in the place of each time-line.
    private mutating func draw(_ symbol: Symbol, in lines: inout [String]) {
        var drawn: [String] = []
        var position = 0
        while position < lines.count {
            guard lines[position].trimmed == "```" else {
                let isCode = lines[position].trimmed.hasPrefix("```")
                drawn.append(CodeBlock.withoutUse(lines[position]))
                position += 1
                if isCode {
                    while position < lines.count {
                        drawn.append(lines[position])
                        position += 1
                        if drawn.last?.trimmed == "```" { break }
                    }
                }
                continue
            }
            let end = lines[(position + 1)...].firstIndex { $0.trimmed == "```" } ?? lines.count
            if let line = DocumentedTimeLine(Array(lines[(position + 1)..<end])) {
                let reference = add(OperatorPicture(line), for: symbol)
                drawn.append(reference)
                if symbol.kind == "swift.method", pictureOfOperator[symbol.baseName] == nil {
                    pictureOfOperator[symbol.baseName] = reference
                }
            } else {
                drawn += lines[position...min(end, lines.count - 1)]
            }
            position = end + 1
        }
        lines = drawn
    }

    private mutating func add(_ picture: OperatorPicture, for symbol: Symbol) -> String {
        let plain = symbol.path.joined(separator: "-").lowercased().map { $0.isLetter || $0.isNumber ? $0 : "-" }
        let stem = String(plain).split(separator: "-").joined(separator: "-")
        var name = stem
        var count = 1
        while pictures[name] != nil {
            count += 1
            name = "\(stem)-\(count)"
        }
        pictures[name] = picture
        let alternative = picture.alternative.map { $0.isPunctuation || $0.isSymbol ? "\\\($0)" : "\($0)" }.joined()
        return "![\(alternative)](\(name))"
    }

    /// An operator without a time-line of its own shows that of its namesake.
    private mutating func showOverload(_ symbol: Symbol, in lines: inout [String]) {
        guard symbol.parent == ["Publisher"], symbol.kind == "swift.method",
            !Self.withoutPicture.contains(symbol.baseName), !lines.contains(where: { $0.hasPrefix("![") })
        else { return }
        guard let picture = pictureOfOperator[symbol.baseName] else {
            missing.append("\(symbol.title) in \(symbol.file ?? "")")
            return
        }
        let summary = lines.firstIndex { $0.trimmed.isEmpty } ?? lines.count
        lines.insert(contentsOf: ["", picture, ""], at: summary)
    }
}

/// Makes links of names in a line of Markdown.
struct Links {
    let index: SymbolIndex
    var isLoose = false

    /// Adds links everywhere but in code, pictures and headings.
    func added(toPage text: String, except own: Symbol? = nil) -> String {
        var isCode = false
        return text.components(separatedBy: "\n").map { line in
            if line.trimmed.hasPrefix("```") { isCode.toggle() }
            return isCode || line.hasPrefix("![") || line.hasPrefix("#") ? line : added(to: line, except: own)
        }.joined(separator: "\n")
    }

    func added(to line: String, except own: Symbol? = nil) -> String {
        var result = ""
        var rest = Substring(line)
        while let start = rest.firstIndex(of: "`") {
            result += rest[..<start]
            let ticks = rest[start...].prefix { $0 == "`" }
            let inside = rest[ticks.endIndex...]
            guard let close = inside.range(of: String(ticks)) else { return result + rest[start...] }
            result += replacement(of: String(inside[..<close.lowerBound]), ticks: ticks.count, except: own)
            rest = inside[close.upperBound...]
        }
        return result + rest
    }

    private func replacement(of code: String, ticks: Int, except own: Symbol?) -> String {
        let fence = String(repeating: "`", count: ticks)
        if ticks == 2 {
            // A link already: the modules are one on these pages.
            let parts = code.split(separator: "/", maxSplits: 1)
            return parts.count == 2 && parts[0].hasPrefix("Headgate") ? "``/Headgate/\(parts[1])``" : "``\(code)``"
        }
        guard ticks == 1, let symbol = index.symbol(named: code, isLoose: isLoose),
            symbol.identifier != own?.identifier, symbol.path != own?.path, let link = index.link(to: symbol)
        else { return fence + code + fence }
        return isLoose ? "[`\(code)`](<doc:\(link)>)" : "``\(link)``"
    }
}
