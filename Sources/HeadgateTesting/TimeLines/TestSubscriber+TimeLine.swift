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
    /// - Parameter column: How much time a column stands for. Where it is missing, everything gets a column of its own,
    ///   except what happens inside a delivery, which stands below the value.
    public func timeLine(column: TestTime.Stride? = nil) -> TimeLine {
        var line = TimeLine()
        var next = 0
        var place = 0
        var isDelivering = false
        for record in records {
            let sign: TimeLine.Sign?
            let row: TimeLine.Row
            switch record.event {
            case .subscription: (sign, row) = (nil, .subscription)
            case .request(let demand): (sign, row) = (.request(demand), .demand)
            case .answer(let demand): (sign, row) = (demand == .none ? nil : .request(demand), .demand)
            case .value(let value): (sign, row) = (.value("\(value)"), .values)
            case .completion(let completion):
                if case .finished = completion {
                    (sign, row) = (.finish, .values)
                } else {
                    (sign, row) = (.failure, .values)
                }
            case .cancel: (sign, row) = (.cancel, .demand)
            }
            if let column {
                place = record.time.nanoseconds / max(1, column.magnitude)
            } else if sign != nil, !(isDelivering && row == .demand) {
                place = next
                next += 2
            }
            if let sign { line.append(sign, to: row, at: place) }
            if case .value = record.event { isDelivering = true }
            if case .answer = record.event { isDelivering = false }
        }
        return line
    }
}
