import HeadgateCore

// What happens on the scheduler.
extension ScheduledConduit {
    @inlinable package func runJob() {
        let (downstream, _) = beginDelivering {
            $0.isJobScheduled = false
            return (nil, nil)
        }
        if let downstream { deliver(to: downstream, since: nil) }
    }

    @inlinable package func runAlarm() {
        if plan.pace.endsInSilence { return lookAtDeadline() }
        let (downstream, gone) = beginDelivering { $0.takeAlarm() }
        if let downstream { deliver(to: downstream, since: gone.date) }
    }

    /// Becomes the job that delivers, unless there is one.
    ///
    /// - Parameter take: Removes and returns the alarm that has gone off. The time for which it was set counts as reached
    ///   even if the clock disagrees, because some schedulers never wait.
    // Not inlined, as is the next: on a scheduler that runs everything at once, deliveries nest as deeply as the
    // pipeline.
    @inlinable @inline(never) func beginDelivering(
        taking take: (inout State) -> (date: Time?, alarm: (any Alarm)?)
    ) -> (Receiver?, (date: Time?, alarm: (any Alarm)?)) {
        state.withLock { state in
            let gone = take(&state)
            if state.work != .none {
                state.work = .unfinished
                return (nil, gone)
            }
            if state.downstream != nil { state.beginJob() }
            return (state.downstream, gone)
        }
    }

    /// Delivers what is due until nothing is left to do now.
    @inlinable package func deliver(to downstream: Receiver, since date: Time?) {
        var date = date
        while let call = deliverWhatIsDue(to: downstream, since: date), goesOn(after: call, since: &date) {}
    }

    /// Schedules what follows a pause.
    ///
    /// - Returns: Whether there is more to deliver now.
    @inlinable @inline(never) func goesOn(after call: Call, since date: inout Time?) -> Bool {
        if case .alarm(let due) = call {
            let isNew = state.withLock { $0.claimAlarm(due) }
            if isNew { schedule(.alarm(due)) }
            // The alarm may fire before `schedule` returns. It finds this job running then, and leaves the work to it.
            if isNew, state.withLock({ $0.alarmDate == nil }) { date = due }
        }
        return !stop()
    }

    /// Ends a job, unless another one has left its work to it.
    @inlinable package func stop() -> Bool {
        state.withLock { state in
            if state.work == .unfinished { state.beginJob() } else { state.work = .none }
            return state.work == .none
        }
    }

    /// Delivers what is due of what had arrived.
    ///
    /// - Returns: When to go on; `nil` after the completion.
    @inlinable package func deliverWhatIsDue(
        to downstream: Receiver, since date: Time?
    ) -> Call? {
        let usesClock = plan.pace.usesClock
        var moment = usesClock ? max(scheduler.now, date ?? scheduler.now) : nil
        let earliestNext = usesClock ? plan.pace.earliestNext(afterDeliveryAt: moment) : nil
        let receiveValue = downstream.value
        while true {
            if let earlier = moment {
                let due = state.withLock {
                    $0.hasChanged = false
                    return $0.backlog?.due
                }
                if let due, due > earlier {
                    // Other work may have become due meanwhile, and be waiting for the end of this job.
                    let now = scheduler.now
                    if due > now { return .alarm(due) }
                    moment = now
                }
            }
            switch takeNext(earliestNext: earliestNext, unlessChanged: moment != nil) {
            case .value(let value):
                let more = receiveValue(value)
                if outstanding.add(more) != nil { requestUpstream(for: more) }
            case .completion(let completion):
                if outstanding.close() != nil { downstream.completion(completion) }
                release()
                return nil
            case .dropped:
                // Released here, outside the lock.
                counts?.drop()
            case .unwanted, .nothing:
                return .nothing
            case nil:
                continue
            }
        }
    }

    /// Removes the next event.
    ///
    /// - Parameter hasReadDue: Whether the caller has read the due time.
    /// - Returns: `nil` if the caller has to read it again.
    @inlinable package func takeNext(earliestNext: Time?, unlessChanged hasReadDue: Bool) -> Delivery<
        Waiting.Output, Failure
    >? {
        state.withLock { state in
            // What has arrived since the job began has scheduled the next one.
            if state.arrived == 0 { return .nothing }
            if hasReadDue, state.hasChanged { return nil }
            state.arrived -= 1
            let next = state.backlog?.takeNext(earliestNext: earliestNext) { outstanding.takeOne() } ?? .nothing
            if case .unwanted = next { state.isStarved = true }
            return next
        }
    }

    /// Releases the downstream and everything that waits, and cancels the alarm.
    @inlinable package func release() {
        // Released on return, outside the lock.
        let (gone, _, _, _) = state.withLock {
            ($0.takeAlarm(), $0.backlog.take(), $0.downstream.take(), $0.introduction.take())
        }
        gone.alarm?.cancel()
    }
}
