import HeadgateCore
import HeadgateTesting

extension ScriptRunner {
    /// Checks that unlimited demand delivers everything, because every other run is compared with such a run.
    ///
    /// If it does not, runs are compared with nothing: the breach is reported once, by its rule.
    func probeReference() -> [Finding] {
        if capabilities.contains(.hot) { return [] }
        // Without an end, the time to wait for all values is unknown.
        if capabilities.contains(.asynchronous), capabilities.isDisjoint(with: [.finite, .fails]) { return [] }
        let inside = makeRequest([everything], isInside: true)
        let after = makeRequest([everything], isInside: false)
        let script = "at once: request \(everything.figure)"
        if hasMore(after, than: inside) {
            references.isUnfit = true
            let finding = "\(brought(by: inside)); requested after receive(subscription:), \(brought(by: after))"
            return [broken(.demandAddsUp, finding, script: script, outcome: inside)]
        }
        guard capabilities.isDisjoint(with: .countDependsOnDemand) else { return [] }
        let oneByOne = makeRequest(Array(repeating: .max(1), count: 40), isInside: false)
        var findings: [Finding] = []
        let many = makeRequest([.max(20)], isInside: false)
        let expected = min(20, oneByOne.values.count)
        if many.breaches.isEmpty, oneByOne.breaches.isEmpty, many.values.count < expected, many.ending == nil {
            references.isUnfit = true
            let finding = "20 requested, \(many.values.count) delivered; requested one by one, \(oneByOne.values.count)"
            findings.append(broken(.demandAddsUp, finding, script: "request 20", outcome: many))
        }
        if oneByOne.values.count > inside.values.count, hasMore(oneByOne, than: inside) {
            references.isUnfit = true
            let finding = "\(brought(by: inside)); requested one by one, \(brought(by: oneByOne))"
            findings.append(broken(.unlimitedAbsorbs, finding, script: script, outcome: inside))
        }
        return findings
    }

    private func brought(by outcome: Outcome) -> String {
        "\(outcome.values.count) values arrived and \(outcome.ending == nil ? "no completion" : "a completion")"
    }

    private func hasMore(_ other: Outcome, than outcome: Outcome) -> Bool {
        if !outcome.breaches.isEmpty || !other.breaches.isEmpty { return false }
        if outcome.ending == nil, other.ending != nil { return true }
        // A failure may overtake more values the greater the demand.
        if isOperator, outcome.ending != nil, outcome.ending != "finished" { return false }
        // A batch that is forwarded later may be larger.
        let isCounted = capabilities.isDisjoint(with: .countDependsOnDemand) || outcome.values.isEmpty
        return isCounted && other.values.count > outcome.values.count
    }

    /// Makes requests one after the other, and lets upstream send and finish.
    ///
    /// - Parameter kept: What should arrive though the subscription is released before upstream sends; `nil` to keep it.
    func makeRequest(_ requests: [Subscribers.Demand], isInside: Bool, forgetting kept: Outcome? = nil) -> Outcome {
        let (fixture, subscriber) = begin(Probe(initialDemand: isInside ? requests[0] : .none))
        for demand in isInside ? requests.dropFirst() : requests[...] where !subscriber.outcome.isOver {
            subscriber.request(demand)
            settle(fixture)
        }
        if kept != nil { _ = subscriber.takeSubscription() }
        let toAll = (0..<fixture.sourceCount).map { ScriptAction.send(from: $0) }
        var sent: [[ScriptAction]] = []
        for turn in kept?.sent ?? Array(repeating: toAll, count: 24) {
            sent.append(turn.filter { send($0, fixture, subscriber, waits: kept != nil) })
            if sent.last == [] { break }
            settle(fixture)
        }
        fixture.finish()
        fixture.letTimePass()
        if let kept {
            lateness.wait(for: .droppedSubscription) { agrees(subscriber.outcome, kept) }
        } else {
            awaitAll(subscriber)
        }
        defer { subscriber.leave() }
        var outcome = subscriber.outcome
        outcome.sent = sent
        return outcome
    }

    /// Lets upstream send a value.
    ///
    /// - Parameter waits: Whether there was demand for it in another run, so that it may only be late.
    private func send(
        _ action: ScriptAction, _ fixture: Fixture<Output, Failure>, _ subscriber: Probe, waits: Bool
    ) -> Bool {
        var isSent = perform(action, fixture, subscriber)
        if !isSent, waits {
            lateness.wait(for: .droppedSubscription) {
                isSent = isSent || perform(action, fixture, subscriber)
                return isSent
            }
        }
        return isSent
    }

    /// Checks that a hot stream delivers all that is requested.
    ///
    /// That can be checked if values arrive steadily: some whenever time passes.
    func probeHotDemand() -> [Finding] {
        guard capabilities.contains(.hot), !isOperator, !capabilities.contains(.asynchronous) else { return [] }
        let runner = waiting
        func isSteady(after actions: [ScriptAction]) -> (isSteady: Bool, outcome: Outcome) {
            let outcomes = (0...3).map { runner.run(actions + [ScriptAction](repeating: .wait, count: $0 + 1)).outcome }
            let counts = outcomes.map(\.values.count)
            return (zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 }, outcomes[3])
        }
        guard isSteady(after: [.begin(.unlimited)]).isSteady else {
            return [Rule.demandAddsUp, .unlimitedAbsorbs].map { .notCheckable($0, "values do not arrive steadily") }
        }
        let requests: [ScriptAction] = [
            .request(.max(1)), .request(.max(2)), .wait, .request(.max(1)), .wait, .wait, .wait,
        ]
        let answers: [ScriptAction] = [
            .react(.answer(.max(1))), .react(.answer(.max(2))), .request(.max(1)), .wait, .wait, .wait,
        ]
        var findings = [requests, answers].compactMap { script -> Finding? in
            let outcome = runner.run(script).outcome
            let count = outcome.values.count
            if count == 4 { return nil }
            return broken(
                .demandAddsUp, "4 requested, \(count) delivered", script: script.sentence, outcome: outcome)
        }
        let unlimited: [ScriptAction] = [.request(.max(1)), .request(.unlimited), .request(.max(1))]
        let (isSteady, outcome) = isSteady(after: unlimited)
        if !isSteady {
            findings.append(
                broken(
                    .unlimitedAbsorbs, "values stop arriving under unlimited demand",
                    script: unlimited.sentence, outcome: outcome))
        }
        return findings + [.held(.demandAddsUp), .held(.unlimitedAbsorbs)]
    }
}

extension Capabilities {
    /// With any of these, the number of values depends on when they are requested.
    fileprivate static let countDependsOnDemand: Capabilities = [
        .dropsUnasked, .merges, .endsByTime, .unbounded, .asynchronous,
    ]
}
