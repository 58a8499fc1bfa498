import Foundation

/// A block of Swift in a documentation comment or on a page.
///
/// What follows the word `swift` in its first line says what becomes of it:
///
/// - nothing: it is compiled and run, and has to print the lines that begin with `//`, and no others; `…` in them stands for
///   any text,
/// - `no-run`: it is compiled, because it needs the network, a signal, or a user,
/// - `fragment`: a part of something larger, which is neither compiled nor run.
struct CodeBlock: Equatable {
    enum Use: String {
        case run = ""
        case compile = "no-run"
        case fragment
    }

    /// Where it stands, below the repository.
    let file: String

    /// Of the first line of code.
    let line: Int
    let use: Use
    let code: [String]

    /// What it prints.
    var output: [String] {
        code.compactMap { $0.hasPrefix("// ") ? String($0.dropFirst(3)) : $0 == "//" ? "" : nil }
    }

    /// The blocks of a Swift file's documentation comments.
    static func all(inSource text: String, file: String) throws -> [CodeBlock] {
        try fences(in: comments(in: text)).compactMap { try CodeBlock($0, file: file) }
    }

    /// The blocks of a page.
    static func all(inPage text: String, file: String) throws -> [CodeBlock] {
        try fences(in: text.components(separatedBy: "\n")).compactMap { try CodeBlock($0, file: file) }
    }

    /// What stands in documentation comments in blocks of no language: time-lines.
    static func plain(inSource text: String) -> [(line: Int, code: [String])] {
        fences(in: comments(in: text)).filter(\.words.isEmpty).map { ($0.line, $0.code) }
    }

    /// The line that begins a block, as `docc` and others understand it: without what is said to these tools.
    static func withoutUse(_ line: String) -> String {
        line.trimmed.hasPrefix("```swift ") ? String(line.prefix { $0 == " " }) + "```swift" : line
    }

    private struct Fence {
        let words: [String]
        let line: Int
        let code: [String]
    }

    private init?(_ fence: Fence, file: String) throws {
        guard fence.words.first == "swift" else { return nil }
        let rest = fence.words.dropFirst().joined(separator: " ")
        guard let use = Use(rawValue: rest) else {
            throw Complaint("\(file):\(fence.line - 1): `swift \(rest)` is neither `no-run` nor `fragment`.")
        }
        self.init(file: file, line: fence.line, use: use, code: Self.withoutIndentation(fence.code))
    }

    init(file: String, line: Int, use: Use, code: [String]) {
        self.file = file
        self.line = line
        self.use = use
        self.code = code
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
        for (index, line) in lines.enumerated() {
            guard let line else {
                open = nil
                continue
            }
            guard line.trimmed.hasPrefix("```") else {
                open?.code.append(line)
                continue
            }
            if let (words, code, start) = open {
                fences.append(Fence(words: words, line: start, code: code))
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
