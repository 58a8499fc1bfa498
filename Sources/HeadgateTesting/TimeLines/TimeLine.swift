import HeadgateCore

/// The events on one edge of a pipeline, drawn over time: a row of values, a row of demand, a row of subscription.
///
/// The notation is that of `Documentation/TimeLines.md`. Rows are optional.
///
/// ```swift
/// let line = TimeLine(values: "--1---2|", demand: "^2------")
/// print(line)
/// // values  --1---2|
/// // demand  ^2------
/// ```
public struct TimeLine: Hashable, Sendable {
    /// One of the rows.
    public enum Row: String, CaseIterable, Hashable, Sendable {
        /// The events that the publisher sends.
        case values

        /// The calls that the subscriber makes.
        case demand

        /// When the subscriber is connected.
        case subscription
    }

    /// A sign on a time-line.
    public enum Sign: Hashable, Sendable {
        /// A value, as text.
        case value(String)

        /// The stream finishes: `|`.
        case finish

        /// The stream fails: `x`.
        case failure

        /// The subscriber requests values: `^3`, or `^*` for unlimited demand.
        case request(Subscribers.Demand)

        /// The subscriber cancels: `!`.
        case cancel

        /// A subscriber is connected: `[`.
        case begin

        /// The connection has ended: `]`.
        case end

        var text: String {
            switch self {
            case .value(let value): value
            case .finish: "|"
            case .failure: "x"
            case .request(let demand): "^" + (demand.max.map { "\($0)" } ?? "*")
            case .cancel: "!"
            case .begin: "["
            case .end: "]"
            }
        }
    }

    /// A sign and its position.
    public struct Entry: Hashable, Sendable {
        /// The time, counted in columns from zero.
        public var column: Int

        /// The row.
        public var row: Row

        /// The sign.
        public var sign: Sign

        /// Creates an entry.
        public init(column: Int, row: Row, sign: Sign) {
            self.column = column
            self.row = row
            self.sign = sign
        }
    }

    /// The signs, ordered by column.
    public private(set) var entries: [Entry] = []

    /// The minimum number of columns.
    public var length = 0

    /// Creates an empty time-line.
    public init() {}

    /// Reads a time-line.
    ///
    /// An unknown sign traps, and so does a row that means something else in the marble diagrams of other libraries.
    public init(values: String, demand: String? = nil, subscription: String? = nil) {
        for (row, text) in [(Row.values, values), (.demand, demand), (.subscription, subscription)] {
            guard let text else { continue }
            for (column, sign) in TimeLineReader.read(text, as: row) { append(sign, to: row, at: column) }
            length = max(length, text.count)
        }
    }

    /// Adds a sign to a row, after those of the same column.
    public mutating func append(_ sign: Sign, to row: Row, at column: Int) {
        let index = entries.lastIndex { $0.column <= column }.map { $0 + 1 } ?? 0
        entries.insert(Entry(column: column, row: row, sign: sign), at: index)
        length = max(length, column + 1)
    }

    /// The signs of one row, in order.
    public func signs(on row: Row) -> [Sign] { entries.filter { $0.row == row }.map(\.sign) }

    /// Whether a row has any sign.
    public func uses(_ row: Row) -> Bool { entries.contains { $0.row == row } }
}

extension TimeLine: CustomStringConvertible {
    /// The rows that are used, each after its name.
    public var description: String {
        let rows = Row.allCases.filter { $0 == .values || uses($0) }
        let drawn = draw(rows)
        let width = rows.map(\.rawValue.count).max() ?? 0
        return rows.map { row in
            row.rawValue + String(repeating: " ", count: width - row.rawValue.count + 2) + (drawn[row] ?? "")
        }.joined(separator: "\n")
    }

    /// One row, without its name.
    public func text(of row: Row) -> String {
        draw(Row.allCases.filter(uses))[row] ?? String(repeating: "-", count: length)
    }

    /// Draws rows below each other, aligned by column; signs that would overlap are moved to the right.
    private func draw(_ rows: [Row]) -> [Row: String] {
        var texts: [Row: String] = [:]
        for row in rows { texts[row] = "" }
        var width = 0
        for column in Set(entries.map(\.column)).sorted() {
            let columnTexts = rows.compactMap { row -> (row: Row, text: String)? in
                let signs = entries.filter { $0.column == column && $0.row == row }.map(\.sign)
                return signs.isEmpty ? nil : (row, Self.group(signs))
            }
            var start = max(width, column)
            // Two adjacent values would be read as one.
            let touches = columnTexts.contains { row, text in
                let before = texts[row, default: ""]
                return before.count == start && before.last?.isTimeLineValue == true
                    && text.first?.isTimeLineValue == true
            }
            if touches { start += 1 }
            for (row, text) in columnTexts {
                texts[row] = texts[row, default: ""].padded(to: start) + text
                width = max(width, start + text.count)
            }
        }
        return texts.mapValues { $0.padded(to: max(width, length)) }
    }

    private static func group(_ signs: [Sign]) -> String {
        if signs.count == 1 { return signs[0].text }
        // Values of one character each can be read without blanks.
        let isPlain = signs.allSatisfy { if case .request = $0 { false } else { $0.text.count == 1 } }
        return "(" + signs.map(\.text).joined(separator: isPlain ? "" : " ") + ")"
    }
}

extension String {
    /// This row of a time-line with so much time after it that it ends before a column.
    func padded(to column: Int) -> String { self + String(repeating: "-", count: max(0, column - count)) }
}
