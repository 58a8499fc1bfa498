import HeadgateCore

extension TestSubscriber {
    /// The recorded events, drawn as a time-line.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let subscriber = TestSubscriber<Int, Never>(.first(2))
    /// (1...3).publisher.subscribe(subscriber)
    /// print(subscriber.timeLine())
    /// // values  --1-2
    /// // demand  ^2---
    /// ```
    ///
    /// - Parameters:
    ///   - column: The time that a column stands for. If `nil`, every event gets a column of its own, except events
    ///     inside a delivery, which are below the value.
    ///   - rows: The rows to draw.
    public func timeLine(
        column: TestTime.Stride? = nil, rows: Set<TimeLine.Row> = [.values, .demand]
    ) -> TimeLine {
        var builder = TimeLineBuilder(column: column, rows: rows)
        for record in records { builder.note(record.event, at: record.time) }
        return builder.line
    }

    /// The received values and the completion, as a row of a time-line in which a column is the
    /// ``TestScheduler/column`` of the subscriber's clock.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// print(TestScheduler().start { Just(1) }.marbles)
    /// // (1|)
    /// ```
    public var marbles: String { timeLine(column: clock?.column ?? .seconds(1), rows: [.values]).text(of: .values) }

    /// Compares the recorded events with a drawing, and reports a difference to a test framework.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let subscriber = TestSubscriber<Int, Never>(.first(2))
    /// (1...3).publisher.subscribe(subscriber)
    /// subscriber.check("--1-2", demand: "^2---") { XCTFail($0, file: $1, line: $2) }
    /// ```
    ///
    /// - Parameters:
    ///   - values: The row of values.
    ///   - demand: The row of demand; not compared if `nil`.
    ///   - subscription: The row of subscription; not compared if `nil`.
    ///   - column: The time that a column stands for, as in `timeLine(column:rows:)`.
    ///   - file: The file to report.
    ///   - line: The line to report.
    ///   - fail: Records one failure: both time-lines, with a caret under the first difference.
    public func check(
        _ values: String, demand: String? = nil, subscription: String? = nil, column: TestTime.Stride? = nil,
        file: StaticString = #filePath, line: UInt = #line, fail: (String, StaticString, UInt) -> Void
    ) {
        check(values, demand: demand, subscription: subscription, column: column, file: file, line: line) {
            $0.record(fail)
        }
    }

    /// Compares the recorded events with a drawing, and reports a difference with its column and module, too.
    ///
    /// - Parameters:
    ///   - values: The row of values.
    ///   - demand: The row of demand; not compared if `nil`.
    ///   - subscription: The row of subscription; not compared if `nil`.
    ///   - column: The time that a column stands for, as in `timeLine(column:rows:)`.
    ///   - fileID: The module and the file to report.
    ///   - file: The file to report.
    ///   - line: The line to report.
    ///   - sourceColumn: The column of the line to report.
    ///   - fail: Records one failure: see ``ExpectationFailure``.
    public func check(
        _ values: String, demand: String? = nil, subscription: String? = nil, column: TestTime.Stride? = nil,
        fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line,
        sourceColumn: UInt = #column, fail: (ExpectationFailure) -> Void
    ) {
        var rows: Set<TimeLine.Row> = [.values]
        if demand != nil { rows.insert(.demand) }
        if subscription != nil { rows.insert(.subscription) }
        let expected = TimeLine(values: values, demand: demand, subscription: subscription)
        // Without a clock, events that are not compared still take a column.
        let actual = timeLine(column: column, rows: column == nil ? rows.union([.demand]) : rows)
        if let difference = actual.difference(from: expected, on: rows) {
            fail(ExpectationFailure(difference, at: TestPlace(fileID, file, line, sourceColumn)))
        }
    }
}
