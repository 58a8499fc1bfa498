import HeadgateCore

/// Reads the notation of `Documentation/TimeLines.md`.
struct TimeLineReader {
    private let text: String
    private let row: TimeLine.Row

    /// What is still to be read, whose indices are columns.
    private var rest: ArraySlice<Character>

    /// Reads one row.
    ///
    /// - Returns: The signs with their columns.
    static func read(_ text: String, as row: TimeLine.Row) -> [(column: Int, sign: TimeLine.Sign)] {
        var reader = TimeLineReader(text: text, row: row, rest: Array(text)[...])
        return reader.readAll()
    }

    private mutating func readAll() -> [(column: Int, sign: TimeLine.Sign)] {
        var signs: [(column: Int, sign: TimeLine.Sign)] = []
        // The values that stand alone, as they are written.
        var words: [String] = []
        while let next = rest.first {
            let column = rest.startIndex
            switch next {
            case "-": rest.removeFirst()
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
        guard let end = rest.firstIndex(of: ")") else {
            refuse("a group without an end", remedy: "Close it with ')'.")
        }
        let isSpaced = rest[..<end].contains(" ")
        var signs: [TimeLine.Sign] = []
        rest.removeFirst()
        while rest.startIndex < end {
            if rest.first == " " { rest.removeFirst() } else { signs.append(readSign(grouped: !isSpaced)) }
        }
        rest.removeFirst()
        return signs
    }

    /// - Parameter grouped: Whether each letter or digit is a separate value.
    private mutating func readSign(grouped: Bool) -> TimeLine.Sign {
        let first = rest.removeFirst()
        switch first {
        case "|": return .finish
        case "!" where row != .values: return .cancel
        case "[" where row != .values: return .begin
        case "]" where row != .values: return .end
        case "^" where row != .values: return .request(readDemand())
        case _ where first.isTimeLineValue:
            let text = String(first) + (grouped ? "" : take(while: \.isTimeLineValue))
            return text == "x" ? .failure : .value(text)
        default:
            if let foreign = ForeignReading.of(first) { refuse(foreign) }
            refuse("'\(first)'", remedy: "Use the signs of Documentation/TimeLines.md.")
        }
    }

    private mutating func readDemand() -> Subscribers.Demand {
        if rest.first == "*" {
            rest.removeFirst()
            return .unlimited
        }
        guard let count = Int(take(while: \.isWholeNumber)) else { refuse(.subscriptionPoint) }
        return .max(count)
    }

    private mutating func take(while isPart: (Character) -> Bool) -> String {
        let part = rest.prefix(while: isPart)
        rest = rest[part.endIndex...]
        return String(part)
    }

    private func refuse(_ foreign: ForeignReading) -> Never { refuse(foreign.found, remedy: foreign.remedy) }

    private func refuse(_ found: String, remedy: String) -> Never {
        programmerError(
            rule: "A time-line consists of values, time and a few signs.", found: "\(found) in \(text)",
            remedy: remedy)
    }
}

extension Character {
    var isTimeLineValue: Bool { isLetter || isNumber || self == "_" || self == "." }
}
