import HeadgateCore

extension OperatorVerifier {
    /// Looks whether the operator holds a lock while it asks upstream, cancels it, or hands work to the scheduler: another
    /// thread that asks meanwhile would have to wait.
    func probeLocks() -> [Finding] {
        let ways: [(name: String, place: Place)] = [
            ("upstream is asked", .request), ("upstream is cancelled", .cancel), ("work is scheduled", .schedule),
        ]
        return ways.compactMap { name, place in
            let (wasReached, isStuck, outcome) = interrupt(place)
            if !wasReached { return nil }
            if !isStuck { return .held(.noLockHeld) }
            return .broken(
                .noLockHeld, "request(_:) on another thread waits while \(name)",
                script: "request 1; upstream sends; cancel; while \(name), on another thread: request 1",
                outcome: outcome)
        }
    }

    private enum Place { case request, cancel, schedule }

    private func interrupt(_ place: Place) -> (wasReached: Bool, isStuck: Bool, outcome: Outcome) {
        let upstreams = values.map { _ in Upstream() }
        let scheduler = TestScheduler()
        let examiner = Examiner<P.Output, P.Failure>()
        var wasReached = false
        var isStuck = false
        let callElsewhere = { [patience = effort.patience] in
            wasReached = true
            isStuck = !runSideBySide([{ examiner.request(.max(1)) }], patience: patience)
        }
        operation(upstreams, scheduler).subscribe(examiner)
        scheduler.runUntilIdle(limit: 50)
        switch place {
        case .request: for upstream in upstreams { upstream.whenAsked.arrange(callElsewhere) }
        case .cancel: for upstream in upstreams { upstream.whenCancelled.arrange(callElsewhere) }
        case .schedule: scheduler.interrupt(callElsewhere)
        }
        examiner.request(.max(1))
        scheduler.runUntilIdle(limit: 50)
        for (upstream, values) in zip(upstreams, values) { if let first = values.first { upstream.send(first) } }
        scheduler.runUntilIdle(limit: 50)
        examiner.cancel()
        scheduler.runUntilIdle(limit: 50)
        defer { examiner.leave() }
        return (wasReached, isStuck, examiner.outcome)
    }
}
