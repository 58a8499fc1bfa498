import HeadgateCore

/// Reads the notation of `Documentation/TimeLines.md`.
struct TimeLineReader {
    private let characters: [Character]
    private var position = 0

    /// Reads one row.
    ///
    /// - Returns: The signs with their columns.
    static func read(_ text: String) -> [(column: Int, sign: TimeLine.Sign)] {
        var reader = TimeLineReader(characters: Array(text))
        return reader.readAll()
    }

    private init(characters: [Character]) { self.characters = characters }

    private mutating func readAll() -> [(column: Int, sign: TimeLine.Sign)] {
        var signs: [(column: Int, sign: TimeLine.Sign)] = []
        while position < characters.count {
            let column = position
            switch characters[position] {
            case "-", " ": position += 1
            case "(": signs += readGroup().map { (column, $0) }
            default: signs.append((column, readSign(grouped: false)))
            }
        }
        return signs
    }

    private mutating func readGroup() -> [TimeLine.Sign] {
        let start = position
        guard let end = characters[start...].firstIndex(of: ")") else {
            refuse("a group without an end", remedy: "Close it with ')'.")
        }
        let isSpaced = characters[start..<end].contains(" ")
        var signs: [TimeLine.Sign] = []
        position += 1
        while position < end {
            if characters[position] == " " { position += 1 } else { signs.append(readSign(grouped: !isSpaced)) }
        }
        position = end + 1
        return signs
    }

    /// - Parameter grouped: Whether each letter or digit is a separate value.
    private mutating func readSign(grouped: Bool) -> TimeLine.Sign {
        let first = characters[position]
        position += 1
        switch first {
        case "|": return .finish
        case "!": return .cancel
        case "[": return .begin
        case "]": return .end
        case "^": return .request(readDemand())
        case _ where first.isTimeLineValue:
            var text = String(first)
            while !grouped, position < characters.count, characters[position].isTimeLineValue {
                text.append(characters[position])
                position += 1
            }
            if text.isRunOfLetters {
                let separate = text.map(String.init).joined(separator: "-")
                refuse(
                    "'\(text)', which is one value here and \(text.count) values in the marble diagrams of other libraries,",
                    remedy: "Write '\(separate)' for values one after the other, or '(\(text))' for values at one time."
                )
            }
            return text == "x" ? .failure : .value(text)
        default:
            refuse("'\(first)'", remedy: "Use the signs of Documentation/TimeLines.md.")
        }
    }

    private mutating func readDemand() -> Subscribers.Demand {
        if position < characters.count, characters[position] == "*" {
            position += 1
            return .unlimited
        }
        var digits = ""
        while position < characters.count, characters[position].isWholeNumber {
            digits.append(characters[position])
            position += 1
        }
        guard let count = Int(digits) else { refuse("a demand of no number", remedy: "Write '^3' or '^*'.") }
        return .max(count)
    }

    private func refuse(_ found: String, remedy: String) -> Never {
        programmerError(
            rule: "A time-line consists of values, time and a few signs.", found: "\(found) in \(String(characters))",
            remedy: remedy)
    }
}

extension Character {
    var isTimeLineValue: Bool { isLetter || isNumber || self == "_" || self == "." }
}

extension String {
    /// Whether these are letters in the order of the alphabet, such as `abc`, which hardly anybody means as one value.
    fileprivate var isRunOfLetters: Bool {
        let codes = utf8.map(Int.init)
        guard allSatisfy(\.isLetter), count > 2 || lowercased() == "ab" else { return false }
        return zip(codes, codes.dropFirst()).allSatisfy { $0 + 1 == $1 }
    }
}
