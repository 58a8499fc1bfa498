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

    /// The modules that it imports: those that it names; if it names none, on a page those that the page names before its first heading,
    /// and in a comment that in which the comment stands.
    var imports: [String] = []

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
        return try comments(in: text).fences.compactMap { try CodeBlock($0, file: file, imports: imports) }
    }

    /// The blocks of a page.
    static func all(inPage text: String, file: String) throws -> [CodeBlock] {
        let beginning = text.prefix(upTo: text.range(of: "\n## ")?.lowerBound ?? text.endIndex)
        var imports = beginning.matches(of: /`import (\w+)`/).map { String($0.1) }
        return try Markdown(text).fences.compactMap { fence in
            let block = try CodeBlock(fence, file: file, imports: imports)
            let isAtBeginning = beginning.contains(fence.code.joined(separator: "\n"))
            if imports.isEmpty, isAtBeginning { imports = block?.imports ?? [] }
            return block
        }
    }

    /// What stands in documentation comments in blocks of no language: time-lines.
    static func plain(inSource text: String) -> [(line: Int, code: [String])] {
        comments(in: text).fences.filter(\.words.isEmpty).map { ($0.line, $0.code) }
    }

    /// The module that a line imports, if it does.
    static func module(importedBy line: String) -> String? {
        line.wholeMatch(of: /(?:public |@preconcurrency |@testable )?import (\w+)/).map { String($0.1) }
    }

    /// What stands in documentation comments, with the lines of the source; the others are empty.
    private static func comments(in text: String) -> Markdown {
        Markdown(
            text.components(separatedBy: "\n").map { line in
                let comment = line.drop { $0 == " " }
                return comment.hasPrefix("///") ? String(comment.dropFirst(comment.hasPrefix("/// ") ? 4 : 3)) : ""
            }.joined(separator: "\n"))
    }
}

extension CodeBlock {
    /// - Parameter imports: What it imports unless it says so itself.
    private init?(_ fence: Markdown.Fence, file: String, imports: [String]) throws {
        guard fence.words.first == "swift" else { return nil }
        let rest = fence.words.dropFirst().joined(separator: " ")
        guard let use = Use(rawValue: rest) else {
            let words = Use.allCases.map(\.rawValue).filter { !$0.isEmpty }.joined(separator: ", ")
            throw Complaint("\(file):\(fence.line - 1): `swift \(rest)` is none of \(words).")
        }
        let indentation = fence.opening.prefix { $0 == " " }.count
        let code = fence.code.map { String($0.dropFirst(indentation)) }
        let own = code.compactMap(Self.module)
        self.init(file: file, line: fence.line, use: use, code: code, imports: own.isEmpty ? imports : own)
    }
}
