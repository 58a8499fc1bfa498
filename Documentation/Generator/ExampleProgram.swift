import Foundation

/// The program that runs the examples of the documentation, together with `Documentation/Examples`.
///
/// Each example becomes a file of its own, with its imports and no others, and in it a function, or the functions that it declares. The
/// types that it declares are those of an enumeration, so that examples may use the same names; extensions are private to the file.
struct ExampleProgram {
    let blocks: [CodeBlock]

    /// The blocks of all sources and pages.
    init(repository: URL) throws {
        var blocks: [CodeBlock] = []
        for file in try Self.files(in: repository) {
            let text = try repository.appendingPathComponent(file).text()
            blocks +=
                file.hasSuffix(".md")
                ? try CodeBlock.all(inPage: text, file: file) : try CodeBlock.all(inSource: text, file: file)
        }
        self.init(blocks: blocks)
        let complaints = try complaints(sources: Self.sources(in: repository))
        if !complaints.isEmpty { throw Complaint(complaints.joined(separator: "\n")) }
    }

    init(blocks: [CodeBlock]) { self.blocks = blocks }

    /// The files of the documentation; links in the catalogues lead to guides, which are there as well.
    private static func files(in repository: URL) throws -> [String] {
        let pages = try paths(below: ["Documentation", "Sources"], of: repository).filter { path in
            let isLink = repository.appendingPathComponent(path).isLink
            return path.hasPrefix("Sources/") && path.hasSuffix(".swift") || path.hasSuffix(".md") && !isLink
        }
        return (["README.md"] + pages).sorted()
    }

    /// What compiles and runs excerpts.
    private static func sources(in repository: URL) throws -> [String] {
        try paths(below: ["Tests", "Documentation/Examples"], of: repository).filter { $0.hasSuffix(".swift") }
            .map { try repository.appendingPathComponent($0).text() }
    }

    private static func paths(below folders: [String], of repository: URL) throws -> [String] {
        try folders.flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: repository.appendingPathComponent(folder).path)
                .map { "\(folder)/\($0)" }
        }
    }

    /// Blocks that are neither checked nor what their first line says.
    func complaints(sources: [String]) -> [String] {
        let sources = sources.map { $0.filter { !$0.isWhitespace } }
        return blocks.flatMap { block -> [String] in
            switch block.use {
            case .run, .compile:
                let statements = block.isOnPage ? ExampleFunction(block: block, name: "").statements : []
                return statements.prefix(1).map {
                    "\(block.file):\($0.line): a page shows functions and types, and no statement outside of them: \($0.text)"
                }
            case .excerpt:
                let wanted = block.code.joined().filter { !$0.isWhitespace }
                let isFound = sources.contains { $0.contains(wanted) }
                return isFound ? [] : ["\(block.file):\(block.line): no file of Tests contains this excerpt."]
            case .fragment, .foreign: return []
            }
        }
    }

    /// Writes the sources of the program.
    func write(to folder: URL) throws {
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in sources() {
            try text.write(to: folder.appendingPathComponent(name))
        }
    }

    /// The sources of the program, by name: one for each example, and one that lists them.
    func sources() -> [String: String] {
        var sources: [String: String] = [:]
        var list: [String] = []
        for (index, block) in blocks.enumerated() where block.isChecked {
            let function = ExampleFunction(block: block, name: "Example\(index)")
            sources["Example\(index).swift"] = function.lines.joined(separator: "\n") + "\n"
            if block.use == .run {
                list.append(
                    "    Example(place: \"\(block.file):\(block.line)\", output: \(block.output), run: \(function.name).run),"
                )
            }
        }
        sources["AllExamples.swift"] = (["let allExamples: [Example] = ["] + list + ["]", ""]).joined(separator: "\n")
        return sources
    }
}

/// An example as a function, and what it declares beside it.
struct ExampleFunction {
    let block: CodeBlock
    let name: String

    /// Lines of code, each with its number in the file that it comes from.
    private var types: [(Int, String)] = []
    private var extensions: [(Int, String)] = []
    private var body: [(Int, String)] = []
    private var calls: [String] = []

    init(block: CodeBlock, name: String) {
        self.block = block
        self.name = name
        split()
    }

    var isAsynchronous: Bool {
        body.contains { $0.1.contains(/\bawait\b/) } || calls.contains { $0.contains("await ") }
    }

    /// The names of what it keeps until it has printed everything.
    var variables: [String] {
        body.flatMap { line -> [String] in
            // Those that can't be copied can't be kept so; nothing is released with them.
            if line.1.contains(/= (?:Atomic|Mutex)\(/) { return [] }
            guard let match = line.1.prefixMatch(of: /(?:async )?(?:let|var) (?:(\w+)|\(([^)]*)\))/) else { return [] }
            let names = (match.1 ?? match.2 ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
            return names.filter { $0 != "_" }
        }
    }

    var lines: [String] {
        // A comment may use what is said elsewhere; a page shows whole files.
        let isWhole = block.use == .run || block.isOnPage
        var lines = block.imports.filter { !Self.standIns.contains($0) }.map { "import \($0)" }
        lines += ["", isWhole ? "enum \(name) {" : "extension Undeclared { enum \(name) {"]
        lines += numbered(types)
        lines.append("    static func run() \(isAsynchronous ? "async " : "")throws -> Kept {")
        lines += numbered(body)
        lines += calls.map { "        \($0)" }
        lines.append("        return Kept(\(variables.joined(separator: ", ")))")
        lines += ["    }", isWhole ? "}" : "} }"]
        return lines + numbered(extensions)
    }

    /// Modules whose place functions of the program take.
    private static let standIns = ["XCTest", "Testing"]

    /// The statements on a page that belong to no function: code of another page, whole files have none.
    var statements: [(line: Int, text: String)] {
        body.filter { !$0.1.trimmed.isEmpty && !$0.1.hasPrefix("//") }.map { ($0.0, $0.1) }
    }

    private func numbered(_ code: [(Int, String)]) -> [String] {
        var lines: [String] = []
        var next: Int?
        for (number, text) in code {
            if number != next { lines.append("#sourceLocation(file: \(block.file.debugDescription), line: \(number))") }
            lines.append(text)
            next = number + 1
        }
        return lines.isEmpty ? [] : lines + ["#sourceLocation()"]
    }

    /// Tells declarations, which stand outside of the function, from statements.
    private mutating func split() {
        let numbered = block.code.enumerated().map { (block.line + $0, $1) }
        var names: [String] = []
        var rest = numbered[...]
        while let (number, line) = rest.popFirst() {
            let declaration =
                /(?:@\w+(?:\([^)]*\))? )*(?:(?:public|final|indirect|private|fileprivate) )*(struct|class|enum|actor|protocol|typealias|extension|func) (\w+)/
            guard let match = line.prefixMatch(of: declaration), match.1 != "func" || block.isOnPage else {
                if line != "@main", CodeBlock.module(importedBy: line) == nil { body.append((number, line)) }
                continue
            }
            var declared = [(number, line)]
            if line.count(where: { $0 == "{" }) != line.count(where: { $0 == "}" }) || !line.contains("{") {
                while let next = rest.popFirst() {
                    declared.append(next)
                    if next.1.hasPrefix("}") { break }
                }
            }
            switch match.1 {
            case "extension":
                extensions += qualified(declared, extended: String(match.2), isOwn: names.contains(String(match.2)))
            case "func":
                declared[0].1.replace("func ", with: "static func ", maxReplacements: 1)
                types += declared
                call(declared[0].1, named: String(match.2))
            default:
                names.append(String(match.2))
                types += declared
                if let main = declared.first(where: { $0.1.contains("static func main()") }) {
                    call(main.1, named: "main", on: "\(match.2).")
                }
            }
        }
    }

    /// A function without parameters is called.
    private mutating func call(_ head: String, named name: String, on type: String = "") {
        guard block.use == .run, head.contains("func \(name)()") else { return }
        let effects = head.prefix { $0 != "{" }
        let words = [("->", "_ ="), ("throws", "try"), ("async", "await")].filter { effects.contains($0.0) }.map(\.1)
        calls.append((words + ["\(type)\(name)()"]).joined(separator: " "))
    }

    private func qualified(_ lines: [(Int, String)], extended: String, isOwn: Bool) -> [(Int, String)] {
        var lines = lines
        if isOwn { lines[0].1 = lines[0].1.replacing("extension \(extended)", with: "extension \(name).\(extended)") }
        // What a conformance needs is not private; a colon behind `where` is a condition.
        let head = lines[0].1.prefix(upTo: lines[0].1.range(of: " where ")?.lowerBound ?? lines[0].1.endIndex)
        if !head.contains(":") { lines[0].1 = "fileprivate " + lines[0].1 }
        return lines
    }
}
