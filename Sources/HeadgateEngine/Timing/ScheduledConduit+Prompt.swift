import HeadgateCore

// What is delivered as soon as the scheduler can. On its own, because a debug build would look up the types of times for each value.
extension ScheduledConduit {
    /// Receives a value that may be delivered as soon as the scheduler can.
    @inlinable @inline(__always) func receiveAtOnce(_ input: Waiting.Input) {
        let isFirst = state.withLock { state in
            if state.backlog?.add(input) == nil {
                counts?.drop()
                return false
            }
            state.hasChanged = true
            if state.isStarved || state.isJobScheduled { return false }
            state.isJobScheduled = true
            return true
        }
        if isFirst { scheduler.schedule(options: options, serially { self.runJob() }) }
    }

    /// Removes the next event, if none ever waits.
    @inlinable func takeNext() -> Delivery<Waiting.Output, Failure> {
        state.withLock { state in
            // What has arrived since the job began has scheduled the next one.
            if state.arrived == 0 { return .nothing }
            state.arrived -= 1
            let next = state.backlog?.takeNext(earliestNext: nil) { outstanding.takeOne() } ?? .nothing
            if case .unwanted = next { state.isStarved = true }
            return next
        }
    }
}
