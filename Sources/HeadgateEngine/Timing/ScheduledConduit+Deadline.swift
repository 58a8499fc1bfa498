import HeadgateCore

// The end of a stream in which no value arrives for too long.
//
// One alarm at a time checks whether the deadline has passed, or has moved since; it isn't set anew for every value, and
// the deadline isn't computed for every value.
extension ScheduledConduit {
    /// Sets the alarm before upstream is requested from, which may block until it has a value.
    ///
    /// Not on a scheduler with a single point in time, which never waits: there, everything that arrives within the
    /// request is in time.
    @inlinable package func watchBeforeRequesting() {
        if !Time.Stride.isNothing { watch() }
    }

    /// Sets the first alarm, unless that has been done.
    @inlinable package func watch() {
        if let silentSince = state.withLock({ $0.mayHaveAlarm ? $0.backlog?.silentSince : nil }) {
            setAlarm(forSilenceSince: silentSince)
        }
    }

    @inlinable func setAlarm(forSilenceSince start: Time) {
        guard case .atOnceUntilSilence(let interval) = plan.pace else { return }
        let deadline = start.advanced(by: interval)
        if state.withLock({ $0.claimAlarm(deadline) }) { schedule(.alarm(deadline)) }
    }

    /// Ends the stream if the deadline has passed, or sets the next alarm, when one has gone off.
    ///
    /// The time for which an alarm was set counts as reached even if the clock disagrees, because some schedulers never
    /// wait. So nobody else takes an alarm: it may have been set for a later time meanwhile.
    @inlinable package func lookAtDeadline() {
        let (gone, silentSince) = state.withLock { ($0.takeAlarm(), $0.backlog?.silentSince) }
        guard let silentSince, case .atOnceUntilSilence(let interval) = plan.pace else { return }
        let deadline = silentSince.advanced(by: interval)
        if let date = gone.date, deadline <= date || deadline <= scheduler.now {
            endEarly(state.withLock { $0.backlog }?.ending ?? .finished)
        } else {
            setAlarm(forSilenceSince: silentSince)
        }
    }
}
