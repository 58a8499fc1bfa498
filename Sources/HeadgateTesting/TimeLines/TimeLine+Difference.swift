extension TimeLine {
    /// The difference from an expected time-line; `nil` if there is none.
    ///
    /// ```swift
    /// print(TimeLine(values: "1--3|").difference(from: TimeLine(values: "1--2|")) ?? "")
    /// // values
    /// //   expected  1--2|
    /// //   actual    1--3|
    /// //                ^
    /// ```
    ///
    /// Trailing time in a row is not compared.
    ///
    /// - Parameters:
    ///   - expected: The expected time-line.
    ///   - rows: The rows to compare.
    public func difference(from expected: TimeLine, on rows: Set<Row> = Set(Row.allCases)) -> String? {
        let differences = Row.allCases.filter(rows.contains).compactMap { row in
            Self.difference(named: row.rawValue, expected: expected.text(of: row), actual: text(of: row))
        }
        return differences.isEmpty ? nil : differences.joined(separator: "\n")
    }

    private static func difference(named name: String, expected: String, actual: String) -> String? {
        let width = max(expected.count, actual.count)
        let left = Array(expected.padded(to: width))
        let right = Array(actual.padded(to: width))
        guard let column = left.indices.first(where: { left[$0] != right[$0] }) else { return nil }
        let caret = String(repeating: " ", count: column + 12) + "^"
        return "\(name)\n  expected  \(String(left))\n  actual    \(String(right))\n\(caret)"
    }
}
