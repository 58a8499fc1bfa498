import HeadgateCore
import HeadgateTesting

extension OperatorVerifier {
    /// Checks that the operator holds no lock while it requests from upstream, cancels it, or schedules work: another
    /// thread that requests or delivers meanwhile would have to wait.
    func probeLocks() -> [Finding] {
        if capabilities.contains(.asynchronous) { return [] }
        let ways: [(name: String, place: Place)] = [
            ("upstream is requested from", .request), ("upstream is cancelled", .cancel),
            ("work is scheduled", .schedule),
        ]
        return ways.compactMap { name, place in
            let script = "request 1; upstream sends; cancel; while \(name), on another thread: request 1, a value"
            let (wasReached, isStuck, outcome) = interrupt(place)
            if !wasReached { return nil }
            if !isStuck { return .held(.noLockHeld) }
            return .broken(
                .noLockHeld, "another thread that requests or delivers waits while \(name)",
                script: script, outcome: outcome)
        }
    }

    private enum Place { case request, cancel, schedule }

    private func interrupt(_ place: Place) -> (wasReached: Bool, isStuck: Bool, outcome: Outcome) {
        let upstreams = values.map { _ in Upstream() }
        let scheduler = TestScheduler()
        let subscriber = Listener()
        var wasReached = false
        var isStuck = false
        func callElsewhere(_ number: Int?) {
            wasReached = true
            let calls = {
                subscriber.request(.max(1))
                if let number, let first = values[number].first { upstreams[number].force(first) }
            }
            if !runSideBySide([calls], timeout: effort.timeout) { isStuck = true }
        }
        operation(upstreams, scheduler).subscribe(subscriber)
        scheduler.runUntilIdle(limit: 50)
        switch place {
        case .request:
            for (number, upstream) in upstreams.enumerated() {
                upstream.actionInRequest.arrange { callElsewhere(number) }
            }
        case .cancel:
            for (number, upstream) in upstreams.enumerated() {
                upstream.actionInCancel.arrange { callElsewhere(number) }
            }
        case .schedule: scheduler.actionInSchedule.arrange { callElsewhere(nil) }
        }
        subscriber.request(.max(1))
        scheduler.runUntilIdle(limit: 50)
        for (upstream, values) in zip(upstreams, values) { if let first = values.first { upstream.send(first) } }
        scheduler.runUntilIdle(limit: 50)
        subscriber.cancel()
        scheduler.runUntilIdle(limit: 50)
        // Actions that were not reached would retain the upstreams.
        let pendingActions =
            upstreams.flatMap { [$0.actionInRequest, $0.actionInCancel] } + [scheduler.actionInSchedule]
        for pendingAction in pendingActions { pendingAction.forget() }
        defer { subscriber.leave() }
        return (wasReached, isStuck, subscriber.outcome)
    }
}
