import Foundation

/// A block of Swift in a documentation comment or on a page.
///
/// What follows the word `swift` in its first line says what becomes of it:
///
/// - nothing: it is compiled and run, and has to print the lines that begin with `//`, and no others; `…` in them stands for
///   any text,
/// - `no-run`: it is compiled, because it needs the network, a signal, or a user,
/// - `excerpt`: its lines stand, one after the other, in a file of `Tests`, which compiles and runs them,
/// - `fragment`: a part of a manifest,
/// - `foreign`: it is written to the interface of another library, which the line before it names.
struct CodeBlock: Equatable {
    enum Use: String, CaseIterable {
        case run = ""
        case compile = "no-run"
        case excerpt
        case fragment
        case foreign
    }

    /// Where it stands, below the repository.
    let file: String

    /// Of the first line of code.
    let line: Int
    let use: Use
    let code: [String]

    /// The text before it.
    var introduction = ""

    /// The modules that it imports: those that it names; if it names none, on a page those that the page names before its first heading,
    /// and in a comment that in which the comment stands.
    var imports: [String]

    var isChecked: Bool { use == .run || use == .compile }
    var isOnPage: Bool { file.hasSuffix(".md") }

    /// What it prints.
    ///
    /// On a page, which shows whole files, also what stands inside functions.
    var output: [String] {
        code.map { isOnPage ? $0.trimmed : $0 }
            .compactMap { $0.hasPrefix("// ") ? String($0.dropFirst(3)) : $0 == "//" ? "" : nil }
    }

    /// The blocks of a Swift file's documentation comments.
    static func all(inSource text: String, file: String) throws -> [CodeBlock] {
        let module = file.split(separator: "/").dropFirst().first.map(String.init)
        // Its protocols have no publisher to try them with.
        let imports = [module == "HeadgateCore" ? "HeadgateCombine" : module ?? ""]
        return try fences(in: comments(in: text)).compactMap { try CodeBlock($0, file: file) }
            .map { $0.importing($0.ownImports.isEmpty ? imports : $0.ownImports) }
    }

    /// The blocks of a page.
    static func all(inPage text: String, file: String) throws -> [CodeBlock] {
        let beginning = text.prefix(upTo: text.range(of: "\n## ")?.lowerBound ?? text.endIndex)
        var imports = beginning.matches(of: /`import (\w+)`/).map { String($0.1) }
        return try fences(in: text.components(separatedBy: "\n")).compactMap { try CodeBlock($0, file: file) }
            .map { block in
                let isAtBeginning = beginning.contains(block.code.joined(separator: "\n"))
                if imports.isEmpty, isAtBeginning { imports = block.ownImports }
                return block.importing(block.ownImports.isEmpty ? imports : block.ownImports)
            }
    }

    /// What stands in documentation comments in blocks of no language: time-lines.
    static func plain(inSource text: String) -> [(line: Int, code: [String])] {
        fences(in: comments(in: text)).filter(\.words.isEmpty).map { ($0.line, $0.code) }
    }

    /// The module that a line imports, if it does.
    static func module(importedBy line: String) -> String? {
        line.wholeMatch(of: /(?:public |@preconcurrency |@testable )?import (\w+)/).map { String($0.1) }
    }

    private var ownImports: [String] { code.compactMap(Self.module) }

    private func importing(_ imports: [String]) -> CodeBlock {
        var block = self
        block.imports = imports
        return block
    }

    /// The line that begins a block, as `docc` and others understand it: without what is said to these tools.
    static func withoutUse(_ line: String) -> String {
        line.trimmed.hasPrefix("```swift ") ? String(line.prefix { $0 == " " }) + "```swift" : line
    }

    private struct Fence {
        let words: [String]
        let line: Int
        let code: [String]
        let introduction: String
    }

    private init?(_ fence: Fence, file: String) throws {
        guard fence.words.first == "swift" else { return nil }
        let rest = fence.words.dropFirst().joined(separator: " ")
        guard let use = Use(rawValue: rest) else {
            let words = Use.allCases.map(\.rawValue).filter { !$0.isEmpty }.joined(separator: ", ")
            throw Complaint("\(file):\(fence.line - 1): `swift \(rest)` is none of \(words).")
        }
        self.init(file: file, line: fence.line, use: use, code: Self.withoutIndentation(fence.code))
        introduction = fence.introduction
    }

    init(file: String, line: Int, use: Use, code: [String], imports: [String] = []) {
        self.file = file
        self.line = line
        self.use = use
        self.code = code
        self.imports = imports
    }

    /// The lines of a source as they stand in documentation comments; `nil` for the others.
    private static func comments(in text: String) -> [String?] {
        text.components(separatedBy: "\n").map { line in
            let comment = line.drop { $0 == " " }
            return comment.hasPrefix("///") ? String(comment.dropFirst(comment.hasPrefix("/// ") ? 4 : 3)) : nil
        }
    }

    private static func fences(in lines: [String?]) -> [Fence] {
        var fences: [Fence] = []
        var open: (words: [String], code: [String], line: Int)?
        var introduction = ""
        for (index, line) in lines.enumerated() {
            guard let line else {
                open = nil
                continue
            }
            guard line.trimmed.hasPrefix("```") else {
                open?.code.append(line)
                if open == nil, !line.trimmed.isEmpty { introduction = line.trimmed }
                continue
            }
            if let (words, code, start) = open {
                fences.append(Fence(words: words, line: start, code: code, introduction: introduction))
                open = nil
            } else {
                open = (line.trimmed.dropFirst(3).split(separator: " ").map(String.init), [], index + 2)
            }
        }
        return fences
    }

    private static func withoutIndentation(_ code: [String]) -> [String] {
        let indentation = code.filter { !$0.trimmed.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return code.map { String($0.dropFirst(indentation)) }
    }
}
