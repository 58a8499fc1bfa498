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
        var signs: [(column: Int, sign: TimeLine.Sign)] = []

        /// The column in which it begins.
        var start = 0

        /// What is said beside it, or instead of signs.
        var words = ""

        var isCaption: Bool { signs.isEmpty && start == 0 }
        var isDemand: Bool { signs.contains { if case .request = $0.sign { true } else { false } } }
        var isSubscription: Bool { !isDemand && signs.contains { $0.sign == .begin } }
    }

    let text: [String]
    let rows: [Row]
    let length: Int

    /// Reads a block of code.
    ///
    /// - Returns: `nil` if the block is no time-line.
    init?(_ lines: [String]) {
        text = lines.filter { !$0.trimmed.isEmpty }
        guard let origin = text.compactMap(Self.secondField).min() else { return nil }
        rows = text.map { Self.row($0, origin: origin) }
        guard let last = rows.flatMap(\.signs).map(\.column).max() else { return nil }
        length = last + 1
    }

    /// Where the second field of a line begins, after two blanks or more.
    private static func secondField(_ line: String) -> Int? {
        line.firstMatch(of: /^ +| {2,}(?=[^ ])/).map { line[..<$0.range.upperBound].count }
    }

    private static func row(_ line: String, origin: Int) -> Row {
        let characters = Array(line)
        // A long name reaches into the columns.
        let isInColumns = characters.count > origin && characters[origin - 1] == " "
        let split = isInColumns ? origin : secondField(line) ?? characters.count
        var signs: [(column: Int, sign: TimeLine.Sign)] = []
        var words: [String] = []
        var start: Int?
        let name = String(line.prefix(split)).trimmed
        // Two blanks or more separate.
        for segment in line.dropFirst(split).matches(of: /[^ ]+(?: [^ ]+)*/) {
            let column = line[..<segment.range.lowerBound].count - origin
            let read = SignReader(isDemand: name == "requests").signs(in: segment.output)
            if read != nil, start == nil { start = column }
            signs += (read ?? []).map { ($0.column + column, $0.sign) }
            // Time in which nothing happens has a length, too.
            if read?.isEmpty ?? true { words.append(String(segment.output)) }
        }
        return Row(name: name, signs: signs, start: start ?? 0, words: words.joined(separator: "  "))
    }
}

/// Reads the signs of one segment of a row.
private struct SignReader {
    let isDemand: Bool

    /// - Returns: `nil` if the segment is words.
    func signs(in segment: Substring) -> [(column: Int, sign: TimeLine.Sign)]? {
        guard segment == "x" || segment.contains(/^\(|[-|!^]/) else { return nil }
        let token =
            #/
            [-|!\]]
            | \^ (?<demand> \* | \d*)
            | \( (?<group> (?: [^()] | \([^()]*\) )*) \)
            | (?<value> "[^"-]*" | \{[^\}-]*\} | \[ (?: [^\[\]-] | \[[^\[\]-]*\] )* \]
                | [\p{L}\p{N}_.?…]{3,} \([^()]*\) | [\p{L}\p{N}_.?…]+)
            | \[
            /#
        var signs: [(column: Int, sign: TimeLine.Sign)] = []
        var rest = segment
        while let match = rest.prefixMatch(of: token) {
            let read: [TimeLine.Sign]?
            if let group = match.group {
                read = Self.signs(inGroup: group)
            } else if let value = match.value {
                read = sign(of: value).map { [$0] }
            } else if let demand = match.demand {
                read = [.request(Int(demand).map { .max($0) } ?? .unlimited)]
            } else {
                let plain: [Substring: TimeLine.Sign] = ["|": .finish, "!": .cancel, "[": .begin, "]": .end]
                read = plain[match.0].map { [$0] } ?? []
            }
            guard let read else { return nil }
            signs += read.map { (segment.count - rest.count, $0) }
            rest = rest[match.range.upperBound...]
        }
        return rest.isEmpty ? signs : nil
    }

    private func sign(of value: Substring) -> TimeLine.Sign? {
        if isDemand { return Int(value).map { .request(.max($0)) } }
        return value == "x" ? .failure : .value(String(value))
    }

    /// What stands between parentheses: an array, a text, a tuple or a word of four letters, or else each sign by itself.
    private static func signs(inGroup group: Substring) -> [TimeLine.Sign]? {
        let isLast = group.hasSuffix("|")
        let values = isLast ? group.dropLast() : group
        let end: [TimeLine.Sign] = isLast ? [.finish] : []
        if values.contains(/^["\[]|^\p{L}{4,}$/) { return [.value(String(values))] + end }
        if values.contains(",") { return [.value("(\(values))")] + end }
        // A remark, and not what happens.
        if values.contains(" ") { return nil }
        // Values of inner streams: `(2a2b)` is two.
        let isOfInner = values.contains(/^(?:\d\p{L}){2,}$/)
        let each = values.matches(of: isOfInner ? /../ : /./).map { String($0.output) }
        return each.map { $0 == "x" ? .failure : .value($0 == "." ? "…" : $0) } + end
    }
}

extension String {
    var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
