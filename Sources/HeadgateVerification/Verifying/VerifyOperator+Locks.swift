import HeadgateCore
import HeadgateTesting

extension OperatorVerifier {
    /// Checks that the operator holds no lock while it requests from upstream, cancels it, or schedules work: another
    /// thread that requests or delivers meanwhile would have to wait.
    func probeLocks() -> [Finding] {
        if capabilities.contains(.asynchronous) { return [] }
        return [
            probeLock(while: "upstream is requested from", delivers: true) { upstreams, _ in
                upstreams.map(\.actionInRequest)
            },
            probeLock(while: "upstream is cancelled", delivers: true) { upstreams, _ in
                upstreams.map(\.actionInCancel)
            },
            // Upstream may be delivering the value for which work is scheduled.
            probeLock(while: "work is scheduled", delivers: false) { _, scheduler in [scheduler.actionInSchedule] },
        ].compactMap(\.self)
    }

    /// Calls on another thread while the operator makes a call.
    ///
    /// - Parameters:
    ///   - call: The call in words.
    ///   - delivers: Whether the other thread sends a value through the upstream that is called.
    ///   - actions: What is run inside the call, for every object that may be called.
    private func probeLock(
        while call: String, delivers: Bool, _ actions: ([Upstream], TestScheduler) -> [PendingAction]
    ) -> Finding? {
        let upstreams = values.map { _ in Upstream() }
        let scheduler = TestScheduler()
        let subscriber = Listener()
        defer { subscriber.leave() }
        let actions = actions(upstreams, scheduler)
        // One that is not reached would retain the upstreams.
        defer { for action in actions { action.forget() } }
        var wasReached = false
        var isStuck = false
        operation(upstreams, scheduler).subscribe(subscriber)
        scheduler.runUntilIdle(limit: 50)
        for (number, action) in actions.enumerated() {
            action.arrange {
                wasReached = true
                let calls = {
                    subscriber.request(.max(1))
                    if delivers, let first = values[number].first { upstreams[number].force(first) }
                }
                if !runSideBySide([calls], timeout: effort.timeout) { isStuck = true }
            }
        }
        subscriber.request(.max(1))
        scheduler.runUntilIdle(limit: 50)
        for (upstream, values) in zip(upstreams, values) { if let first = values.first { upstream.send(first) } }
        scheduler.runUntilIdle(limit: 50)
        subscriber.cancel()
        scheduler.runUntilIdle(limit: 50)
        if !wasReached { return nil }
        if !isStuck { return .held(.noLockHeld) }
        return .broken(
            .noLockHeld, "another thread that requests or delivers waits while \(call)",
            script: "request 1; upstream sends; cancel; while \(call), on another thread: request 1, a value",
            timeLine: subscriber.outcome.timeLine)
    }
}
