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
        deliver(since: nil) { $0.isJobScheduled = false }
    }

    /// - Parameter date: The time for which the alarm was set. It counts as reached even if the clock disagrees,
    ///   because some schedulers never wait.
    @inlinable package func runAlarm(_ date: Time) {
        deliver(since: date) { $0.isAlarmScheduled = false }
    }

    @inlinable @inline(__always) package func deliver(since date: Time?, marking mark: (inout State) -> Void) {
        let downstream: AnySubscriber<Waiting.Output, Failure>? = state.withLock { state in
            mark(&state)
            if state.isDelivering {
                state.hasNews = true
                return nil
            }
            state.isDelivering = state.downstream != nil
            return state.downstream
        }
        if let downstream { deliver(to: downstream, since: date) }
    }

    /// Delivers what is due until nothing is left to do now.
    @inlinable package func deliver(to downstream: AnySubscriber<Waiting.Output, Failure>, since date: Time?) {
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
                let isNew = state.withLock { !exchange(&$0.isAlarmScheduled, with: true) }
                if isNew { schedule(.alarm(due)) }
                // The alarm may fire before `schedule` returns. It finds this job running then, and leaves the work to
                // it.
                if isNew, !state.withLock({ $0.isAlarmScheduled }) { date = due }
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

    @inlinable package func deliverWhatIsDue(to downstream: AnySubscriber<Waiting.Output, Failure>, since date: Time?)
        -> Pause
    {
        let moment = pace.usesClock ? max(scheduler.now, date ?? scheduler.now) : nil
        let earliestNext = pace.earliestNext(afterDeliveryAt: moment)
        let receiveValue = downstream.onValue
        for _ in 0..<Self.batch {
            var arrivals: Int?
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
                if outstanding.close() != nil { downstream.receive(completion: completion) }
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
    @inlinable package func takeNext(earliestNext: Time?, ifStill arrivals: Int?) -> Delivery<Waiting.Output, Failure>?
    {
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
        let (alarm, _, _, _) = state.withLock { state in
            defer {
                state.alarm = nil
                state.backlog = nil
                state.downstream = nil
                state.keptAlive = nil
            }
            return (state.alarm, state.backlog, state.downstream, state.keptAlive)
        }
        alarm?.cancel()
    }
}
