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
        try all(
            in: text.components(separatedBy: "\n").map { line in
                let comment = line.drop { $0 == " " }
                return comment.hasPrefix("///") ? String(comment.dropFirst(comment.hasPrefix("/// ") ? 4 : 3)) : nil
            }, file: file)
    }

    /// The blocks of a page.
    static func all(inPage text: String, file: String) throws -> [CodeBlock] {
        try all(in: text.components(separatedBy: "\n"), file: file)
    }

    /// The line that begins a block, as `docc` and others understand it: without what is said to these tools.
    static func withoutUse(_ line: String) -> String {
        line.trimmed.hasPrefix("```swift ") ? String(line.prefix { $0 == " " }) + "```swift" : line
    }

    /// - Parameter lines: `nil` for a line that is not text.
    private static func all(in lines: [String?], file: String) throws -> [CodeBlock] {
        var blocks: [CodeBlock] = []
        var begin: (line: Int, indentation: Int, use: Use?)?
        for (index, line) in lines.enumerated() {
            guard let line else {
                begin = nil
                continue
            }
            guard line.trimmed.hasPrefix("```") else { continue }
            if let (start, indentation, use) = begin {
                begin = nil
                guard let use else { continue }
                let code = lines[start..<index].map { text in
                    let text = text ?? ""
                    return String(text.dropFirst(text.prefix(indentation).prefix { $0 == " " }.count))
                }
                blocks.append(CodeBlock(file: file, line: start + 1, use: use, code: withoutIndentation(code)))
            } else {
                let words = line.trimmed.dropFirst(3).split(separator: " ").map(String.init)
                var use: Use?
                if words.first == "swift" {
                    guard let known = Use(rawValue: words.dropFirst().joined(separator: " ")) else {
                        throw Complaint("\(file):\(index + 1): `\(line.trimmed)` is neither no-run nor fragment.")
                    }
                    use = known
                }
                begin = (index + 1, line.prefix { $0 == " " }.count, use)
            }
        }
        return blocks
    }

    private static func withoutIndentation(_ code: [String]) -> [String] {
        let indentation = code.filter { !$0.trimmed.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return code.map { String($0.dropFirst(indentation)) }
    }
}
