import Dispatch
import HeadgateCore
import HeadgateTesting

/// What a subscriber does before it cancels a stream that delivers on threads of its own.
private struct WayToCancel {
    let script: String
    var initialDemand = Subscribers.Demand.none
    var demand = Subscribers.Demand.none
    var reaction: Reaction?

    /// Whether it waits for the first value.
    var waits = false

    /// The number of milliseconds up to which a call may count as the one in progress.
    ///
    /// A publisher that is delivering is often between its decision and its call when `cancel()` returns; one that has
    /// just been requested from hardly ever is.
    var grace: UInt64 { waits ? 1 : 0 }
}

extension ScriptRunner {
    /// Cancels a stream that delivers on threads of its own, and watches what still arrives: rule 4.4.
    ///
    /// One call may be in progress when `cancel()` returns. It is told from the call of a publisher that does not look
    /// whether it was cancelled by repetition: a call is not in progress every time.
    func probeAfterCancel() -> [Finding] {
        guard capabilities.contains(.asynchronous) else { return [] }
        guard let latency = measureLatency() else { return [.notCheckable(.cancelElsewhere, "no value arrived")] }
        let ways = [
            WayToCancel(script: "request 1; cancel", demand: .max(1)),
            WayToCancel(script: "at once: request \(everything.figure); cancel", initialDemand: everything),
            WayToCancel(
                script: "request \(everything.figure); after the first value: cancel", demand: everything, waits: true),
            WayToCancel(
                script: "request \(everything.figure); in the first delivery, on another thread: cancel",
                demand: everything, reaction: .cancelElsewhere, waits: true),
        ]
        for way in ways {
            if let finding = probe(way, latency: latency) { return [finding] }
        }
        return [.held(.cancelElsewhere)]
    }

    /// The milliseconds from a request to the first event; `nil` if there is none.
    private func measureLatency() -> Int? {
        let (fixture, subscriber) = begin()
        let start = DispatchTime.now()
        subscriber.request(everything)
        fixture.send()
        settle(fixture)
        let hasArrived = waitUntil(timeout: lateness.timeout) {
            subscriber.outcome.isOver || !subscriber.outcome.values.isEmpty
        }
        subscriber.leave()
        let elapsed = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds
        return hasArrived ? Int(elapsed / 1_000_000) : nil
    }

    /// - Returns: The breach, if an event arrives too late time after time.
    private func probe(_ way: WayToCancel, latency: Int) -> Finding? {
        var last: (delay: UInt64, outcome: Outcome)?
        let attempts = latency > 50 ? 5 : 20
        var lateCount = 0
        var cleanCount = 0
        for _ in 0..<2 * attempts where lateCount < attempts {
            let (delay, wasInTime, outcome) = cancel(way, watching: 50 + 2 * latency)
            if let breach = outcome.breaches.first(where: { $0.rule == .cancelElsewhere }) {
                return broken(breach.rule, breach.finding, script: way.script, outcome: outcome)
            }
            if !wasInTime { continue }
            guard let delay, delay >= way.grace else {
                // On a busy machine, a thread may not have run for once.
                cleanCount += 1
                if cleanCount > 1 { return nil }
                continue
            }
            lateCount += 1
            last = (min(delay, last?.delay ?? delay), outcome)
        }
        guard let last, lateCount > attempts / 2 else { return nil }
        return broken(
            .cancelElsewhere,
            "an event at least \(last.delay) ms after cancel() had returned, \(lateCount) times",
            script: way.script, outcome: last.outcome)
    }

    /// - Returns: How many milliseconds after `cancel()` the first event arrived, if one did, and whether the
    ///   cancellation came as early as the script says.
    private func cancel(_ way: WayToCancel, watching duration: Int) -> (
        delay: UInt64?, wasInTime: Bool, outcome: Outcome
    ) {
        let fixture = makeFixture()
        let subscriber = Probe(initialDemand: way.initialDemand)
        way.reaction.map(subscriber.arrange)
        attach(fixture, subscriber)
        subscriber.request(way.demand)
        fixture.send()
        if way.waits {
            waitUntil(timeout: lateness.timeout) { subscriber.outcome.isOver || !subscriber.outcome.values.isEmpty }
        }
        if way.reaction == nil {
            subscriber.cancel()
        } else {
            waitUntil(timeout: lateness.timeout) { subscriber.outcome.isOver }
        }
        let received = subscriber.outcome
        let wasInTime =
            received.isCancelled && (way.waits || received.values.isEmpty || subscriber.monitor.delayAfterCancel != nil)
        if fixture.settles {
            fixture.waitForThreads()
            subscriber.expectNothingInProgress()
        }
        waitUntil(timeout: duration) { subscriber.monitor.delayAfterCancel != nil }
        let result = (subscriber.monitor.delayAfterCancel, wasInTime, subscriber.outcome)
        subscriber.leave()
        return result
    }
}
