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
    private func makeRequest(_ requests: [Subscribers.Demand], isInside: Bool) -> Outcome {
        let (fixture, subscriber) = begin(Probe(initialDemand: isInside ? requests[0] : .none))
        for demand in isInside ? requests.dropFirst() : requests[...] where !subscriber.outcome.isOver {
            subscriber.request(demand)
            settle(fixture)
        }
        for _ in 0..<24 {
            if !fixture.send() { break }
            settle(fixture)
        }
        fixture.finish()
        fixture.letTimePass()
        awaitAll(subscriber)
        defer { subscriber.leave() }
        return subscriber.outcome
    }
}

extension Capabilities {
    /// With any of these, the number of values depends on when they are requested.
    fileprivate static let countDependsOnDemand: Capabilities = [
        .dropsUnasked, .merges, .endsByTime, .unbounded, .asynchronous,
    ]
}
