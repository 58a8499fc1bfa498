import HeadgateCore

// The end of a stream in which no value arrives for too long.
//
// One alarm at a time checks whether the deadline has passed, or has moved since; it isn't set anew for every value.
extension ScheduledConduit {
    /// Sets an alarm for the deadline, if there is one.
    @inlinable package func awaitDeadline() {
        if upstream.isClosed { return }
        let date: Time? = state.withLock { state in
            guard let deadline = state.backlog?.deadline, state.claimAlarm(deadline) else { return nil }
            return deadline
        }
        if let date { schedule(.alarm(date)) }
    }

    /// Ends the stream, or waits for the deadline if it has moved.
    ///
    /// The time for which the alarm was set counts as reached even if the clock disagrees, because some schedulers never
    /// wait.
    @inlinable package func lookAtDeadline() {
        let (date, deadline) = state.withLock { (exchange(&$0.alarmDate, with: nil), $0.backlog?.deadline) }
        guard let date, let deadline else { return }
        if deadline > date, deadline > scheduler.now {
            awaitDeadline()
        } else {
            endEarly(state.withLock { $0.backlog }?.ending ?? .finished)
        }
    }
}
