import Foundation

/// The program that runs the examples of the documentation, together with `Documentation/Examples`.
///
/// Each example becomes a function of its own. The types that it declares are those of an enumeration, so that examples may use the
/// same names; extensions are private to the file.
struct ExampleProgram {
    let blocks: [CodeBlock]

    /// The blocks of all sources and pages.
    init(repository: URL) throws {
        var blocks: [CodeBlock] = []
        for file in try Self.files(in: repository) {
            let text = try String(contentsOf: repository.appendingPathComponent(file), encoding: .utf8)
            blocks +=
                file.hasSuffix(".md")
                ? try CodeBlock.all(inPage: text, file: file) : try CodeBlock.all(inSource: text, file: file)
        }
        self.init(blocks: blocks)
    }

    init(blocks: [CodeBlock]) { self.blocks = blocks }

    private static func files(in repository: URL) throws -> [String] {
        var files = ["README.md"]
        let documentation = repository.appendingPathComponent("Documentation").resolvingSymlinksInPath()
        files += try FileManager.default.contentsOfDirectory(atPath: documentation.path)
            .filter { $0.hasSuffix(".md") }.map { "Documentation/\($0)" }
        let sources = repository.appendingPathComponent("Sources").resolvingSymlinksInPath()
        files += try FileManager.default.subpathsOfDirectory(atPath: sources.path)
            .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }.map { "Sources/\($0)" }
        return files.sorted()
    }

    /// Writes the sources of the program.
    func write(to folder: URL) throws {
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in sources() {
            try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
        }
    }

    /// The sources of the program, by name: one for each folder that has examples, and one that lists them.
    func sources() -> [String: String] {
        var sources: [String: String] = [:]
        var list: [String] = []
        let functions = blocks.enumerated().filter { $1.use != .fragment }
            .map { ExampleFunction(block: $1, name: "Example\($0)") }
        for (folder, functions) in Dictionary(grouping: functions, by: \.folder) {
            let name = String(folder.map { $0.isLetter || $0.isNumber ? $0 : "_" })
            let lines = Self.imports + functions.flatMap(\.lines)
            sources["Examples_\(name).swift"] = lines.joined(separator: "\n") + "\n"
        }
        for function in functions where function.block.use == .run {
            let block = function.block
            list.append(
                "    Example(\(block.file.debugDescription), line: \(block.line), prints: \(block.output), "
                    + ".\(function.isAsynchronous ? "task" : "call")(\(function.name).run)),")
        }
        sources["AllExamples.swift"] = (["let allExamples: [Example] = ["] + list + ["]", ""]).joined(separator: "\n")
        return sources
    }

    private static let imports = [
        "Dispatch", "Foundation", "FoundationNetworking", "Headgate", "HeadgateFoundation", "HeadgateRedis",
        "HeadgateSystem", "HeadgateTesting", "HeadgateTestingTimers", "Synchronization",
    ].map { "import \($0)" }
}

/// An example as a function, and what it declares beside it.
struct ExampleFunction {
    let block: CodeBlock
    let name: String

    /// Lines of code, each with its number in the file that it comes from.
    private var types: [(Int, String)] = []
    private var extensions: [(Int, String)] = []
    private var body: [(Int, String)] = []

    init(block: CodeBlock, name: String) {
        self.block = block
        self.name = name
        split()
    }

    /// The folder of the file that it comes from.
    var folder: String { block.file.split(separator: "/").dropLast().joined(separator: "/") }

    var isAsynchronous: Bool { body.contains { $0.1.contains(/\bawait\b/) } }

    /// The names of what it keeps until it has printed everything.
    var variables: [String] {
        body.flatMap { line -> [String] in
            guard let match = line.1.prefixMatch(of: /(?:async )?(?:let|var) (?:(\w+)|\(([^)]*)\))/) else { return [] }
            let names = (match.1 ?? match.2 ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
            return names.filter { $0 != "_" }
        }
    }

    var lines: [String] {
        let isRun = block.use == .run
        var lines = ["", isRun ? "enum \(name) {" : "extension Undeclared { enum \(name) {"]
        lines += numbered(types)
        lines.append("    static func run() \(isAsynchronous ? "async " : "")throws {")
        lines += numbered(body)
        lines.append("        \(isAsynchronous ? "await " : "")waitForOutput()")
        if !variables.isEmpty {
            lines.append("        withExtendedLifetime((\(variables.joined(separator: ", ")))) {}")
        }
        lines += ["    }", isRun ? "}" : "} }"]
        return lines + numbered(extensions)
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
                /(?:@\w+(?:\([^)]*\))? )*(?:(?:final|indirect|private) )*(struct|class|enum|actor|protocol|extension) (\w+)/
            guard let match = line.prefixMatch(of: declaration) else {
                if !line.hasPrefix("import ") { body.append((number, line)) }
                continue
            }
            var declared = [(number, line)]
            if line.count(where: { $0 == "{" }) != line.count(where: { $0 == "}" }) {
                while let next = rest.popFirst() {
                    declared.append(next)
                    if next.1.hasPrefix("}") { break }
                }
            }
            if match.1 == "extension" {
                extensions += qualified(declared, extended: String(match.2), isOwn: names.contains(String(match.2)))
            } else {
                names.append(String(match.2))
                types += declared
            }
        }
    }

    private func qualified(_ lines: [(Int, String)], extended: String, isOwn: Bool) -> [(Int, String)] {
        var lines = lines
        if isOwn { lines[0].1 = lines[0].1.replacing("extension \(extended)", with: "extension \(name).\(extended)") }
        // What a conformance needs is not private.
        if !lines[0].1.contains(":") { lines[0].1 = "fileprivate " + lines[0].1 }
        return lines
    }
}
