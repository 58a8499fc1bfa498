import HeadgateCore
import HeadgateTesting

/// Watches, during one run, whether an operator requests from upstream while nothing is outstanding: rule 2.7.
final class DemandWatch<Output, Failure: Error>: @unchecked Sendable {
    // The subscriber is set before there is a stream, and the rest is guarded by the lock.

    weak var subscriber: ProbeSubscriber<Output, Failure>?

    private let found = Guarded<[Breach]>([])

    /// Whether what is outstanding is known exactly when upstream is requested from.
    ///
    /// With threads of its own, an operator may deliver the last value while it requests the next one.
    private let isExact: Bool

    init(isExact: Bool) { self.isExact = isExact }

    /// The breaches so far: at most one of each kind.
    var breaches: [Breach] { found.withLock { $0 } }

    /// Records that an upstream was requested from.
    func note(_ demand: Subscribers.Demand) {
        guard demand > .none, let subscriber else { return }
        let outcome = subscriber.outcome
        if outcome.isOver || subscriber.monitor.outstanding > .none { return }
        let isEarly = outcome.requested == .none
        if !isEarly, !isExact { return }
        let when = isEarly ? "before anything was requested" : "after everything that was requested had arrived"
        let breach = Breach(.requestsOnlyForDemand, "\(demand.figure) requested from upstream \(when)")
        found.withLock { if !$0.contains(breach) { $0.append(breach) } }
    }
}

extension ScriptRunner {
    /// Requests nothing, and then 1 in each of the ways in which demand arrives: upstream must not be requested from
    /// before that, nor after the value has arrived.
    func probeDemand() -> [Finding] {
        let ways: [(script: String, initialDemand: Subscribers.Demand, body: (Probe) -> Void)] = [
            ("subscribe", .none, { _ in }),
            ("subscribe; at once: request 1", .max(1), { _ in }),
            ("subscribe; request 1", .none, { $0.request(.max(1)) }),
            (
                "subscribe; on another thread: request 1", .none,
                { subscriber in _ = runSideBySide([{ subscriber.request(.max(1)) }], timeout: lateness.timeout) }
            ),
        ]
        var wasRequestedFrom = false
        for (script, initialDemand, body) in ways {
            let (fixture, subscriber) = begin(Probe(initialDemand: initialDemand))
            body(subscriber)
            settle(fixture)
            // Until what has been requested is used up, whatever makes one value of several.
            for _ in 0..<4 where fixture.send() { settle(fixture) }
            let outcome = subscriber.outcome
            let breaches = fixture.inspect(outcome.ending != nil, outcome.isCancelled)
            let breach = breaches.first { $0.rule == .requestsOnlyForDemand }
            if fixture.requestCount() > 0 { wasRequestedFrom = true }
            subscriber.leave()
            if let breach { return [broken(breach.rule, breach.finding, script: script, outcome: outcome)] }
        }
        if wasRequestedFrom { return [.held(.requestsOnlyForDemand)] }
        return [.notCheckable(.requestsOnlyForDemand, "nothing was requested from upstream")]
    }
}
