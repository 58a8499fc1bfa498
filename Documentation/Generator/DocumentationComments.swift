import Foundation
import HeadgateTesting

/// Turns the comments of symbols into what stands on their pages: time-lines into pictures, names into links.
struct DocumentationComments {
    private let index: SymbolIndex

    /// The pictures to write, by name.
    private(set) var pictures: [String: DocumentedTimeLine] = [:]

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
        for place in graphs.indices {
            graphs[place].changeSymbols { $0.documentation = withPictures($0) }
        }
        for place in graphs.indices {
            graphs[place].changeSymbols {
                showOverload(&$0)
                if !$0.documentation.isEmpty { $0.documentation += Self.imports(of: $0) }
            }
        }
    }

    /// What a program imports to use what stands on a page of its own: on the site, the modules are one.
    private static func imports(of symbol: Symbol) -> [String] {
        guard let module = symbol.module else { return [] }
        let isInBoth = ["HeadgateCore", "HeadgateCombine"].contains(module)
        return ["", "> Import: `\(isInBoth ? "Headgate` or `HeadgateCombine" : module)`"]
    }

    /// Its comment with a picture in the place of each time-line, and with links.
    private mutating func withPictures(_ symbol: Symbol) -> [String] {
        let text = Markdown(symbol.documentation.joined(separator: "\n"))
        let links = Links(index: index)
        return text.rewritten {
            links.added(to: $0, except: symbol)
        } code: { fence in
            guard fence.words.isEmpty, let line = DocumentedTimeLine(fence.code) else { return fence.lines }
            let reference = add(line, for: symbol)
            if symbol.kind == "swift.method", pictureOfOperator[symbol.baseName] == nil {
                pictureOfOperator[symbol.baseName] = reference
            }
            return [reference]
        }.components(separatedBy: "\n")
    }

    private mutating func add(_ picture: DocumentedTimeLine, for symbol: Symbol) -> String {
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
    private mutating func showOverload(_ symbol: inout Symbol) {
        let lines = symbol.documentation
        guard symbol.parent == ["Publisher"], symbol.kind == "swift.method",
            !Self.withoutPicture.contains(symbol.baseName), !lines.contains(where: { $0.hasPrefix("![") })
        else { return }
        guard let picture = pictureOfOperator[symbol.baseName] else {
            missing.append("\(symbol.title) in \(symbol.file ?? "")")
            return
        }
        let summary = lines.firstIndex { $0.trimmed.isEmpty } ?? lines.count
        symbol.documentation.insert(contentsOf: ["", picture, ""], at: summary)
    }
}

/// Makes links of names in a line of Markdown.
struct Links {
    let index: SymbolIndex
    var isLoose = false

    func added(to line: String, except own: Symbol? = nil) -> String {
        line.replacing(/(`{1,2})([^`]+)\1/) { match in
            // A link already: the modules are one on these pages.
            if match.1.count == 2 { return match.0.replacing(/^``\/?Headgate\w*\//, with: "``/Headgate/") }
            guard let symbol = index.symbol(named: String(match.2), isLoose: isLoose),
                symbol.identifier != own?.identifier, symbol.path != own?.path, let link = index.link(to: symbol)
            else { return match.0 }
            return isLoose ? "[\(match.0)](<doc:\(link)>)" : "``\(link)``"
        }
    }
}
