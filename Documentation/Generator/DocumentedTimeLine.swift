import Foundation
import HeadgateCore
import HeadgateTesting

/// A time-line as it stands in a documentation comment: named rows, what the operator does, and what comes out.
///
/// ```
/// self      1---2---3---|
/// map       *10
///           10--20--30--|
/// ```
///
/// It is looser than what `TimeLine` reads: rows have names of their own and may begin late, a value may be an array, a
/// text or a tuple, and a row may be words.
struct DocumentedTimeLine {
    /// One line of it.
    struct Row {
        let name: String
        let signs: [(column: Int, sign: TimeLine.Sign)]

        /// The column in which it begins.
        let start: Int

        /// What is said beside it, or instead of signs.
        let words: String

        var isCaption: Bool { signs.isEmpty && start == 0 }
    }

    let text: [String]
    let rows: [Row]
    let length: Int

    /// Reads a block of code.
    ///
    /// - Returns: `nil` if the block is no time-line.
    init?(_ lines: [String]) {
        let lines = lines.filter { !$0.allSatisfy(\.isWhitespace) }
        guard let origin = lines.compactMap(Self.secondField).min() else { return nil }
        text = lines
        rows = lines.map { Self.row($0, origin: origin) }
        length = rows.filter { !$0.signs.isEmpty }.map { $0.signs.map(\.column).max() ?? 0 }.max().map { $0 + 1 } ?? 0
        if !rows.contains(where: { !$0.signs.isEmpty }) { return nil }
    }

    /// Where the second field of a line begins, after two blanks or more.
    private static func secondField(_ line: String) -> Int? {
        let characters = Array(line)
        var index = characters.prefix { $0 == " " }.count
        if index > 0 { return index }
        while index < characters.count {
            let blanks = characters[index...].prefix { $0 == " " }.count
            if blanks >= 2, index + blanks < characters.count { return index + blanks }
            index += max(blanks, 1)
        }
        return nil
    }

    private static func row(_ line: String, origin: Int) -> Row {
        let characters = Array(line)
        var split = origin
        if characters.count <= origin {
            split = characters.count
        } else if characters[origin - 1] != " " {
            // A long name reaches into the columns.
            split = secondField(line) ?? characters.count
        }
        let name = String(characters[..<split]).trimmed
        var signs: [(column: Int, sign: TimeLine.Sign)] = []
        var words: [String] = []
        var start: Int?
        for (offset, segment) in segments(of: characters[split...]) {
            let column = split + offset - origin
            if let read = SignReader.read(segment, isDemand: name == "requests") {
                if start == nil { start = column }
                signs += read.map { ($0.column + column, $0.sign) }
                // Time in which nothing happens has a length, too.
                if read.isEmpty { words.append(String(segment)) }
            } else {
                words.append(String(segment))
            }
        }
        return Row(name: name, signs: signs, start: start ?? 0, words: words.joined(separator: "  "))
    }

    /// What stands between blanks, two or more of which separate.
    private static func segments(of characters: ArraySlice<Character>) -> [(offset: Int, text: [Character])] {
        var segments: [(offset: Int, text: [Character])] = []
        var index = characters.startIndex
        while index < characters.endIndex {
            if characters[index] == " " {
                index += 1
                continue
            }
            var end = index
            while end < characters.endIndex, characters[end...].prefix(2).contains(where: { $0 != " " }) { end += 1 }
            segments.append((index - characters.startIndex, Array(characters[index..<end])))
            index = end
        }
        return segments
    }
}

/// Reads the signs of one segment of a row.
private struct SignReader {
    private let characters: [Character]
    private let isDemand: Bool
    private var position = 0

    /// - Returns: `nil` if the segment is words.
    static func read(_ segment: [Character], isDemand: Bool) -> [(column: Int, sign: TimeLine.Sign)]? {
        let signs: Set<Character> = ["-", "|", "!", "^"]
        let isSign = segment == ["x"] || segment.contains(where: signs.contains) || segment.first == "("
        guard isSign else { return nil }
        var reader = SignReader(characters: segment, isDemand: isDemand)
        return reader.readAll()
    }

    private init(characters: [Character], isDemand: Bool) {
        self.characters = characters
        self.isDemand = isDemand
    }

    private mutating func readAll() -> [(column: Int, sign: TimeLine.Sign)]? {
        var signs: [(column: Int, sign: TimeLine.Sign)] = []
        while position < characters.count {
            let column = position
            switch characters[position] {
            case "-": position += 1
            case "(":
                guard let group = readGroup() else { return nil }
                signs += group.map { (column, $0) }
            default:
                guard let sign = readSign() else { return nil }
                signs.append((column, sign))
            }
        }
        return signs
    }

    /// What stands between parentheses: a tuple if there is a comma, else each sign by itself.
    private mutating func readGroup() -> [TimeLine.Sign]? {
        guard let end = closing(of: position) else { return nil }
        let inside = Array(characters[(position + 1)..<end])
        position = end + 1
        if inside == Array("empty") { return [] }
        let bare = inside.last == "|" ? Array(inside.dropLast()) : inside
        let isOne =
            bare.contains(",") || bare.first == "\"" || bare.first == "["
            || (bare.count > 3 && bare.allSatisfy(\.isLetter))
        // A remark, and not what happens.
        if bare.contains(" "), !bare.contains(",") { return nil }
        var signs: [TimeLine.Sign]
        if isOne {
            signs = [.value(String(bare.first == "[" || bare.first == "\"" ? bare : parenthesised(bare)))]
        } else if String(bare).wholeMatch(of: /(\d+\p{L}){2,}/) != nil {
            // Values of inner streams: `(2a2b)` is two.
            signs = String(bare).matches(of: /\d+\p{L}/).map { .value(String($0.output)) }
        } else {
            signs = bare.map { $0 == "x" ? .failure : $0 == "." ? .value("…") : .value(String($0)) }
        }
        if inside.last == "|" { signs.append(.finish) }
        return signs
    }

    private func parenthesised(_ text: [Character]) -> [Character] {
        text.contains(",") ? ["("] + text + [")"] : text
    }

    private mutating func readSign() -> TimeLine.Sign? {
        let first = characters[position]
        switch first {
        case "|", "!", "]":
            position += 1
            return first == "|" ? .finish : first == "!" ? .cancel : .end
        case "^":
            position += 1
            return .request(readDemand())
        case "[", "{", "\"":
            guard let end = closing(of: position), !characters[position..<end].contains("-") else {
                if first != "[" { return nil }
                position += 1
                return .begin
            }
            return value(upTo: end + 1)
        case " ", ",", "*", "+", "/", "<", ">", "=", ":": return nil
        default:
            var end = position
            while end < characters.count, isPartOfValue(characters[end]) { end += 1 }
            // A name with its arguments.
            if end < characters.count, characters[end] == "(", end - position > 2, let close = closing(of: end) {
                end = close + 1
            }
            if end == position { return nil }
            return value(upTo: end)
        }
    }

    private mutating func value(upTo end: Int) -> TimeLine.Sign? {
        let text = String(characters[position..<end])
        position = end
        if isDemand { return Int(text).map { .request(.max($0)) } }
        return text == "x" ? .failure : .value(text)
    }

    private mutating func readDemand() -> Subscribers.Demand {
        if position < characters.count, characters[position] == "*" {
            position += 1
            return .unlimited
        }
        let digits = characters[position...].prefix(while: \.isWholeNumber)
        position += digits.count
        return Int(String(digits)).map { .max($0) } ?? .unlimited
    }

    private func isPartOfValue(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "_.?…".contains(character)
    }

    /// The place of the sign that closes what is opened at another.
    private func closing(of start: Int) -> Int? {
        let pairs: [Character: Character] = ["(": ")", "[": "]", "{": "}", "\"": "\""]
        let opening = characters[start]
        guard let wanted = pairs[opening] else { return nil }
        var depth = 0
        for index in characters.indices[(start + 1)...] {
            if characters[index] == wanted {
                if depth == 0 { return index }
                depth -= 1
            } else if characters[index] == opening {
                depth += 1
            }
        }
        return nil
    }
}

extension String {
    var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
