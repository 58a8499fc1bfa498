import HeadgateCore

extension TestPublisher where Output: LosslessStringConvertible {
    /// Sends what a row of a time-line says, at the moments at which it says so.
    ///
    /// Nothing happens before the scheduler's clock is moved. A value that nobody has asked for then is not delivered.
    ///
    /// ```swift
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
    ///   - values: The row of values. A value that is none of the publisher's kind is a programmer's error and traps.
    ///   - scheduler: The scheduler whose clock is meant; the row begins at its present moment.
    ///   - column: How much time a column stands for.
    ///   - failure: What `x` means; traps where `x` stands and this is missing.
    public func play(
        _ values: String, on scheduler: TestScheduler, column: TestTime.Stride = .seconds(1), failure: Failure? = nil
    ) {
        let start = scheduler.now
        for entry in TimeLine(values: values).entries {
            let moment = start.advanced(by: column * .nanoseconds(entry.column))
            let action = action(for: entry.sign, in: values, failure: failure)
            scheduler.schedule(after: moment, serially(action))
        }
    }

    private func action(for sign: TimeLine.Sign, in row: String, failure: Failure?) -> () -> Void {
        switch sign {
        case .value(let text):
            guard let value = Output(text) else {
                programmerError(
                    rule: "A value on a time-line has to be one that the publisher can send.",
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
                    remedy: "Hand one to play(_:on:column:failure:).")
            }
            return { self.fail(failure) }
        case .request, .cancel, .begin, .end:
            programmerError(
                rule: "A publisher plays values and ends only.", found: "\(sign.text) in \(row)",
                remedy: "Give demand to the subscriber's script.")
        }
    }
}
