import Foundation

/// A text in Markdown: lines of prose, and blocks of code between fences.
struct Markdown {
    enum Part {
        case prose(String)
        case code(Fence)
    }

    /// A block of code.
    struct Fence {
        /// The line with which it begins.
        let opening: String

        /// The number of its first line of code.
        let line: Int
        var code: [String] = []

        /// What is said in the opening: the language, and what becomes of the block.
        var words: [String] { opening.trimmed.dropFirst(3).split(separator: " ").map(String.init) }

        /// The block as `docc` and others understand it: without what is said to these tools.
        var lines: [String] {
            let fence = opening.prefix { $0 == " " } + "```"
            return [fence + (words.first ?? "")] + code + [String(fence)]
        }
    }

    private(set) var parts: [Part] = []

    init(_ text: String) {
        var open: Fence?
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            if !line.trimmed.hasPrefix("```") {
                if open == nil { parts.append(.prose(line)) } else { open?.code.append(line) }
            } else if let fence = open {
                parts.append(.code(fence))
                open = nil
            } else {
                open = Fence(opening: line, line: index + 2)
            }
        }
    }

    var fences: [Fence] {
        parts.compactMap { if case .code(let fence) = $0 { fence } else { nil } }
    }

    /// The text with other prose, but for headings and pictures, and other blocks of code.
    func rewritten(
        prose: (String) throws -> String, code: (Fence) -> [String] = \.lines
    ) rethrows -> String {
        try parts.flatMap { part in
            switch part {
            case .prose(let line): [line.hasPrefix("#") || line.hasPrefix("![") ? line : try prose(line)]
            case .code(let fence): code(fence)
            }
        }.joined(separator: "\n")
    }
}
