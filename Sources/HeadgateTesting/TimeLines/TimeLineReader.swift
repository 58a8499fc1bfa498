import HeadgateCore

/// Reads the notation of `Documentation/TimeLines.md`.
struct TimeLineReader {
    private let characters: [Character]
    private var position = 0

    private let row: TimeLine.Row

    /// Reads one row.
    ///
    /// - Returns: The signs with their columns.
    static func read(_ text: String, as row: TimeLine.Row) -> [(column: Int, sign: TimeLine.Sign)] {
        var reader = TimeLineReader(characters: Array(text), row: row)
        return reader.readAll()
    }

    private mutating func readAll() -> [(column: Int, sign: TimeLine.Sign)] {
        var signs: [(column: Int, sign: TimeLine.Sign)] = []
        // The values that stand alone, as they are written.
        var words: [String] = []
        while position < characters.count {
            let column = position
            switch characters[position] {
            case "-": position += 1
            case "(": signs += readGroup().map { (column, $0) }
            default:
                let sign = readSign(grouped: false)
                if case .value(let word) = sign { words.append(word) }
                signs.append((column, sign))
            }
        }
        if let foreign = ForeignReading.find(words: words, signs: signs.map(\.sign)) { refuse(foreign) }
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
        case "!" where row != .values: return .cancel
        case "[" where row != .values: return .begin
        case "]" where row != .values: return .end
        case "^" where row != .values: return .request(readDemand())
        case _ where first.isTimeLineValue:
            var text = String(first)
            while !grouped, position < characters.count, characters[position].isTimeLineValue {
                text.append(characters[position])
                position += 1
            }
            return text == "x" ? .failure : .value(text)
        default:
            if let foreign = ForeignReading.of(first) { refuse(foreign) }
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
        guard let count = Int(digits) else { refuse(.subscriptionPoint) }
        return .max(count)
    }

    private func refuse(_ foreign: ForeignReading) -> Never { refuse(foreign.found, remedy: foreign.remedy) }

    private func refuse(_ found: String, remedy: String) -> Never {
        programmerError(
            rule: "A time-line consists of values, time and a few signs.", found: "\(found) in \(String(characters))",
            remedy: remedy)
    }
}

extension Character {
    var isTimeLineValue: Bool { isLetter || isNumber || self == "_" || self == "." }
}
