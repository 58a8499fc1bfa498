import HeadgateCore

/// What a row would mean in the marble diagrams of other libraries, where that is something else.
///
/// Such a row was probably copied from there, and would test something else without a word.
struct ForeignReading {
    let found: String
    let remedy: String

    private static let elsewhere = "in the marble diagrams of other libraries"

    static let subscriptionPoint = ForeignReading(
        found: "'^' without a number, which is the time of subscribing \(elsewhere),",
        remedy: "Write '^3' or '^*' for a request, and '[' in the row of subscription for a subscriber that comes.")

    /// The reading of a character that is no sign in a row.
    static func of(_ character: Character) -> ForeignReading? {
        switch character {
        case " ":
            ForeignReading(
                found: "' ', which takes no time \(elsewhere),", remedy: "Write '-' where time passes, or nothing.")
        case "#": ForeignReading(found: "'#', which is a failure \(elsewhere),", remedy: "Write 'x' for a failure.")
        case "^":
            ForeignReading(
                found: "'^' among values, where it is the time of subscribing \(elsewhere),",
                remedy: "Begin the row at that time, and write requests in the row of demand.")
        case "!":
            ForeignReading(
                found: "'!' among values, where it is the time of cancelling \(elsewhere),",
                remedy: "Write it in the row of demand.")
        case "[", "]":
            ForeignReading(found: "'\(character)' among values,", remedy: "Write it in the row of subscription.")
        default: nil
        }
    }

    /// The reading of a row that could be read.
    ///
    /// - Parameters:
    ///   - words: The values that don't stand in a group.
    ///   - signs: All signs.
    static func find(words: [String], signs: [TimeLine.Sign]) -> ForeignReading? {
        let isOfNumbers = words.contains { $0.count > 1 && $0.allSatisfy(\.isWholeNumber) && !$0.ascends }
        let hasLetters = words.contains { $0.count == 1 && $0 != "x" && $0.allSatisfy(\.isLetter) }
        for word in words {
            if word.isTime {
                return ForeignReading(
                    found: "'\(word)', which is one value here and a length of time \(elsewhere),",
                    remedy: "Write a '-' for each column of time, or '( \(word) )' for the value.")
            }
            if word == "X" {
                return ForeignReading(
                    found: "'X', which is a value here and a failure \(elsewhere),",
                    remedy: "Write 'x' for a failure, or '(X)' for the value.")
            }
            let isOfDigits = word.allSatisfy(\.isWholeNumber)
            let isRun = word.ascends || !isOfDigits && word.isOfOneCharacter
            guard word.count > 1, isOfDigits || word.allSatisfy(\.isLetter), isRun else { continue }
            // Among other numbers it is a number, and a word of two letters may be a word.
            if isOfDigits ? isOfNumbers : word.count == 2 && word.lowercased() != "ab" && !hasLetters { continue }
            let separate = word.map(String.init).joined(separator: "-")
            return ForeignReading(
                found: "'\(word)', which is one value here and \(word.count) values \(elsewhere),",
                remedy: "Write '\(separate)' for values one after the other, '(\(word))' for values at one time, "
                    + "or '( \(word) )' for one value.")
        }
        if let place = signs.firstIndex(of: .failure), place < signs.count - 1 {
            return ForeignReading(
                found: "'x' before other events, which is a failure here and a value \(elsewhere),",
                remedy: "Write another letter for the value.")
        }
        return nil
    }
}

extension String {
    /// Whether each character follows the one before it in the alphabet, or among the digits.
    fileprivate var ascends: Bool {
        let codes = utf8.map(Int.init)
        return zip(codes, codes.dropFirst()).allSatisfy { $0 + 1 == $1 }
    }

    fileprivate var isOfOneCharacter: Bool { allSatisfy { $0 == first } }

    /// Whether this is a number and a unit of time, such as `100ms`.
    fileprivate var isTime: Bool {
        guard let unit = ["ms", "s", "m"].first(where: hasSuffix) else { return false }
        let number = dropLast(unit.count)
        return number.first?.isWholeNumber == true && number.allSatisfy { $0.isWholeNumber || $0 == "." }
    }
}
