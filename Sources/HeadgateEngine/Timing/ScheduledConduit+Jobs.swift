import HeadgateCore

// What happens on the scheduler.
extension ScheduledConduit {
    /// Why a job has stopped delivering.
    @usableFromInline package enum Pause {
        /// There is nothing to deliver, or no demand for it.
        case idle
        /// The next event is due later.
        case until(Time)
        /// Other jobs on the scheduler get their turn.
        case turn
        case ended
    }

    @inlinable package func runJob() {
        deliver {
            $0.isJobScheduled = false
            return nil
        }
    }

    @inlinable package func runAlarm() {
        if plan.pace.endsInSilence {
            lookAtDeadline()
        } else {
            deliver { $0.alarmDate.take() }
        }
    }

    /// - Parameter mark: Returns the time for which the alarm was set. It counts as reached even if the clock
    ///   disagrees, because some schedulers never wait.
    @inlinable @inline(__always) package func deliver(marking mark: (inout State) -> Time?) {
        let (downstream, date) = state.withLock { state -> (Receiver?, Time?) in
            let date = mark(&state)
            if state.isDelivering {
                state.hasNews = true
                return (nil, nil)
            }
            state.isDelivering = state.downstream != nil
            return (state.downstream, date)
        }
        if let downstream { deliver(to: downstream, since: date) }
    }

    /// Delivers what is due until nothing is left to do now.
    @inlinable package func deliver(to downstream: Receiver, since date: Time?) {
        var date = date
        while true {
            switch deliverWhatIsDue(to: downstream, since: date) {
            case .ended:
                return
            case .idle:
                if stop() { return }
            case .turn:
                if state.withLock({ !exchange(&$0.isJobScheduled, with: true) }) { schedule(.job) }
                if stop() { return }
            case .until(let due):
                let isNew = state.withLock { $0.claimAlarm(due) }
                if isNew { schedule(.alarm(due)) }
                // The alarm may fire before `schedule` returns. It finds this job running then, and leaves the work to
                // it.
                if isNew, state.withLock({ $0.alarmDate == nil }) { date = due }
                if stop() { return }
            }
        }
    }

    /// Ends a job, unless something has happened that it has to handle.
    @inlinable package func stop() -> Bool {
        state.withLock { state in
            state.isDelivering = state.hasNews
            state.hasNews = false
            return !state.isDelivering
        }
    }

    @inlinable package func deliverWhatIsDue(to downstream: Receiver, since date: Time?)
        -> Pause
    {
        let moment = plan.pace.usesClock ? max(scheduler.now, date ?? scheduler.now) : nil
        let earliestNext = plan.pace.earliestNext(afterDeliveryAt: moment)
        let receiveValue = downstream.value
        for _ in 0..<Self.batch {
            var arrivals: UInt32?
            if let moment {
                let (due, count) = state.withLock { ($0.backlog?.due, $0.arrivals) }
                if let due, due > moment { return .until(due) }
                arrivals = count
            }
            switch takeNext(earliestNext: earliestNext, ifStill: arrivals) {
            case .value(let value):
                let more = receiveValue(value)
                if outstanding.add(more) != nil { askUpstream(for: more) }
                countDelivery()
            case .completion(let completion):
                if outstanding.close() != nil { downstream.completion(completion) }
                release()
                return .ended
            case .dropped:
                // Released here, outside the lock.
                continue
            case .unwanted, .nothing:
                return .idle
            case nil:
                continue
            }
        }
        return .turn
    }

    /// Removes the next event.
    ///
    /// - Parameter arrivals: The number of arrivals when the caller read the due time; `nil` if it did not.
    /// - Returns: `nil` if the caller has to read it again.
    @inlinable package func takeNext(earliestNext: Time?, ifStill arrivals: UInt32?) -> Delivery<
        Waiting.Output, Failure
    >? {
        state.withLock { state in
            if let arrivals, arrivals != state.arrivals { return nil }
            let next = state.backlog?.takeNext(earliestNext: earliestNext) { outstanding.takeOne() } ?? .nothing
            if case .unwanted = next { state.isStarved = true }
            return next
        }
    }

    /// Releases the downstream and everything that waits, and calls the alarm off.
    @inlinable package func release() {
        // Released on return, outside the lock.
        let (alarm, _, _) = state.withLock { state in
            defer {
                state.alarm = nil
                state.backlog = nil
                state.downstream = nil
            }
            return (state.alarm, state.backlog, state.downstream)
        }
        alarm?.cancel()
    }
}
