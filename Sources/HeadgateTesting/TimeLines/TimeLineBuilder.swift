import HeadgateCore

/// Draws events on a time-line as they happen.
package struct TimeLineBuilder: Sendable {
    package private(set) var line = TimeLine()

    /// The time that a column stands for; `nil` if every event gets a column of its own.
    let column: TestTime.Stride?

    let rows: Set<TimeLine.Row>

    private var next = 0
    private var place = 0
    private var isDelivering = false
    private var isConnected = false

    package init(column: TestTime.Stride?, rows: Set<TimeLine.Row>) {
        self.column = column
        self.rows = rows
    }

    package mutating func note<Value, Failure: Error>(_ event: StreamEvent<Value, Failure>, at time: TestTime) {
        switch event {
        case .subscription:
            isConnected = true
            // Drawn above the first event.
            draw(.begin, on: .subscription, at: time, takesColumn: false)
        case .request(let demand):
            draw(.request(demand), on: .demand, at: time, takesColumn: !isDelivering)
        case .answer(let demand):
            if demand > .none { draw(.request(demand), on: .demand, at: time, takesColumn: !isDelivering) }
            isDelivering = false
        case .value(let value):
            draw(.value("\(value)"), on: .values, at: time, takesColumn: true)
            isDelivering = true
        case .completion(let completion):
            let sign: TimeLine.Sign = if case .finished = completion { .finish } else { .failure }
            draw(sign, on: .values, at: time, takesColumn: true)
            disconnect(at: time)
        case .cancel:
            draw(.cancel, on: .demand, at: time, takesColumn: !isDelivering)
            disconnect(at: time)
        }
    }

    private mutating func disconnect(at time: TestTime) {
        if isConnected { draw(.end, on: .subscription, at: time, takesColumn: false, isSame: true) }
        isConnected = false
    }

    private mutating func draw(
        _ sign: TimeLine.Sign, on row: TimeLine.Row, at time: TestTime, takesColumn: Bool, isSame: Bool = false
    ) {
        if !rows.contains(row) { return }
        if let column {
            place = time.nanoseconds / max(1, column.magnitude)
        } else if takesColumn {
            place = next
            next += 2
        } else if !isSame, !isDelivering {
            place = next
        }
        line.append(sign, to: row, at: place)
    }
}
