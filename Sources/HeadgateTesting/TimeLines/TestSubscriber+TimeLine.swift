import HeadgateCore

extension TestSubscriber {
    /// What happened, drawn as a time-line.
    ///
    /// ```swift
    /// let subscriber = TestSubscriber<Int, Never>(.first(2))
    /// (1...3).publisher.subscribe(subscriber)
    /// print(subscriber.timeLine())
    /// // values  --1-2
    /// // demand  ^2---
    /// ```
    ///
    /// - Parameters:
    ///   - column: How much time a column stands for. Where it is missing, everything gets a column of its own, except
    ///     what happens inside a delivery, which stands below the value.
    ///   - rows: What to draw.
    public func timeLine(
        column: TestTime.Stride? = nil, rows: Set<TimeLine.Row> = [.values, .demand]
    ) -> TimeLine {
        var builder = TimeLineBuilder(column: column, rows: rows)
        for record in records { builder.note(record.event, at: record.time) }
        return builder.line
    }

    /// Compares what happened with a drawing, and hands the difference to a test framework.
    ///
    /// ```swift
    /// let subscriber = TestSubscriber<Int, Never>(.first(2))
    /// (1...3).publisher.subscribe(subscriber)
    /// subscriber.check("--1-2", demand: "^2---") { XCTFail($0, file: $1, line: $2) }
    /// ```
    ///
    /// - Parameters:
    ///   - values: The row of values.
    ///   - demand: The row of demand; not compared where it is missing.
    ///   - subscription: The row of subscription; not compared where it is missing.
    ///   - column: How much time a column stands for, as in `timeLine(column:rows:)`.
    ///   - file: The file to blame.
    ///   - line: The line to blame.
    ///   - fail: Records one failure: both time-lines, with a caret under the first difference.
    public func check(
        _ values: String, demand: String? = nil, subscription: String? = nil, column: TestTime.Stride? = nil,
        file: StaticString = #filePath, line: UInt = #line, fail: (String, StaticString, UInt) -> Void
    ) {
        var rows: Set<TimeLine.Row> = [.values]
        if demand != nil { rows.insert(.demand) }
        if subscription != nil { rows.insert(.subscription) }
        let expected = TimeLine(values: values, demand: demand, subscription: subscription)
        // Without a clock, what is not compared still takes its column.
        let actual = timeLine(column: column, rows: column == nil ? rows.union([.demand]) : rows)
        if let difference = actual.difference(from: expected, on: rows) { fail(difference, file, line) }
    }
}
