import HeadgateCore

extension TestPublisher where Output: LosslessStringConvertible {
    /// Sends the values and the completion of a time-line row at their times.
    ///
    /// Nothing happens before the scheduler's clock is advanced. A value without demand is not delivered.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// enum TestError: Error { case broken }
    /// let scheduler = TestScheduler()
    /// let source = TestPublisher<Int, TestError>()
    /// source.play("1--2-x", on: scheduler, failure: .broken)
    /// let subscriber = TestSubscriber<Int, TestError>(.unlimited, clock: scheduler)
    /// source.subscribe(subscriber)
    /// scheduler.runUntilIdle()
    /// print(subscriber.timedValues.map(\.time))
    /// // [0s, 3s]
    /// ```
    ///
    /// - Parameters:
    ///   - values: The row of values. A value that can't be converted to the publisher's output traps.
    ///   - scheduler: The scheduler that provides the time; the row begins at its current time.
    ///   - column: The time that a column stands for; `nil` for that of the scheduler.
    ///   - failure: The error for `x`; traps if the row has an `x` and this is `nil`.
    public func play(
        _ values: String, on scheduler: TestScheduler, column: TestTime.Stride? = nil, failure: Failure? = nil
    ) {
        let start = scheduler.now
        for entry in TimeLine(values: values).entries {
            let moment = start.advanced(by: (column ?? scheduler.column) * .nanoseconds(entry.column))
            let action = action(for: entry.sign, in: values, failure: failure)
            scheduler.schedule(after: moment, serially(action))
        }
    }

    private func action(for sign: TimeLine.Sign, in row: String, failure: Failure?) -> () -> Void {
        switch sign {
        case .value(let text):
            guard let value = Output(text) else {
                programmerError(
                    rule: "A value on a time-line can be converted to the publisher's output.",
                    found: "\(text) in \(row)",
                    remedy: "Write values of type \(Output.self).")
            }
            return { self.send(value) }
        case .finish:
            return { self.finish() }
        case .failure:
            guard let failure else {
                programmerError(
                    rule: "A failure on a time-line needs an error.", found: "x in \(row)",
                    remedy: "Pass one to play(_:on:column:failure:).")
            }
            return { self.fail(failure) }
        case .request, .cancel, .begin, .end:
            programmerError(
                rule: "A publisher plays only values and completions.", found: "\(sign.text) in \(row)",
                remedy: "Put demand into the subscriber's script.")
        }
    }
}
