import HeadgateCore
import HeadgateTesting

/// The result of a probe for one rule.
struct Finding {
    let rule: Rule
    let verdict: Verification.Verdict

    static func held(_ rule: Rule) -> Finding { Finding(rule: rule, verdict: .held) }

    static func notCheckable(_ rule: Rule, _ reason: String) -> Finding {
        Finding(rule: rule, verdict: .notCheckable(reason))
    }

    static func broken(_ rule: Rule, _ finding: String, script: String, timeLine: TimeLine) -> Finding {
        Finding(
            rule: rule,
            verdict: .broken(.init(breach: Breach(rule, finding), script: script, timeLine: timeLine, seed: nil)))
    }
}

extension Finding {
    var isOfALockHeld: Bool { if case .broken = verdict { rule == .noLockHeld } else { false } }
}

extension ScriptRunner {
    /// A rule that was broken by a script, with what was done before the subscriber came.
    func broken(_ rule: Rule, _ finding: String, script: String, outcome: Outcome) -> Finding {
        .broken(rule, finding, script: preamble + script, timeLine: outcome.timeLine)
    }

    func findBreaches(in outcome: Outcome, script: String) -> [Finding] {
        outcome.breaches.map { broken($0.rule, $0.finding, script: script, outcome: outcome) }
    }

    /// Probes what neither scripts nor threads can show: depth of the stack, release.
    func probe() -> [Finding] {
        // Work that is pending on a scheduler must not retain a subscriber either.
        probeStack() + paces.flatMap { $0.probeRelease() }
    }

    /// Requests one by one from inside each delivery, and checks that the stack does not grow.
    ///
    /// With too few values the result is unknown.
    private func probeStack() -> [Finding] {
        // A source that the test drives sends from outside deliveries.
        if isOperator, makeFixture().source != nil { return [] }
        let ways: [(name: String, reaction: Reaction)] = [
            ("request 1", .request(.max(1))), ("answer 1", .answer(.max(1))),
        ]
        return ways.map { name, reaction in
            let outcome = runFromInside(reaction)
            // The first value may take another path than the rest.
            let positions = outcome.stackPositions.dropFirst()
            if positions.count < 3 {
                return .notCheckable(.flatStack, "fewer than four values arrived on requests from inside deliveries")
            }
            let grows = capabilities.contains(.asynchronous) ? positions.showSteadyGrowth : positions.showGrowth
            if !grows { return .held(.flatStack) }
            return broken(
                .flatStack, "the stack grows with every \(name) from inside a delivery",
                script: "request 1; in every delivery: \(name)", outcome: outcome)
        }
    }

    /// Requests unlimited values of a publisher without an end, and cancels after more values than the finite
    /// "everything".
    func probeUnlimited() -> Finding {
        let (fixture, subscriber) = begin(Probe(limit: 100))
        subscriber.request(.unlimited)
        settle(fixture)
        for _ in 0..<100 where !subscriber.outcome.isOver && fixture.clock != nil { fixture.letTimePass() }
        let outcome = subscriber.outcome
        subscriber.leave()
        if outcome.values.count > 100 { return .held(.unlimitedAbsorbs) }
        return broken(
            .unlimitedAbsorbs, "only \(outcome.values.count) values arrived under unlimited demand",
            script: "request unlimited; in the delivery of value 101: cancel", outcome: outcome)
    }

    /// Reacts in the same way to each of many values; a source that the test drives sends the next one from inside the
    /// delivery.
    private func runFromInside(_ reaction: Reaction) -> Outcome {
        let fixture = makeFixture()
        let subscriber = Probe()
        for _ in 0..<24 { subscriber.arrange(reaction) }
        subscriber.onCall = { _, call in if case .value(..<24) = call { fixture.send() } }
        attach(fixture, subscriber)
        // One more, because values are sent before the reaction to the current one.
        subscriber.request(.max(fixture.source == nil ? 1 : 2))
        settle(fixture)
        fixture.send()
        settle(fixture)
        // Too few values are no breach, so the timeout is never used up.
        if capabilities.contains(.asynchronous) {
            waitForQuiet(for: 50, timeout: lateness.timeout) { subscriber.outcome.values.count }
        }
        defer { subscriber.leave() }
        return subscriber.outcome
    }
}

extension RandomAccessCollection where Element == (thread: ThreadIdentity, position: UInt), Index == Int {
    /// Whether stack positions get deeper: each third is deeper than the one before.
    fileprivate var showGrowth: Bool {
        let third = count / 3
        let deepest = (0..<3).compactMap { part in dropFirst(part * third).prefix(third).map(\.position).min() }
        return deepest.count == 3 && deepest[0] > deepest[1] && deepest[1] > deepest[2]
    }

    /// Whether nearly every position is on one thread, and deeper than the one before.
    ///
    /// Stacks of different threads are unrelated, and the depth at which a queue calls its work varies.
    fileprivate var showSteadyGrowth: Bool {
        guard count >= 8, Set(map(\.thread)).count == 1 else { return false }
        let deeper = zip(self, dropFirst()).count { $0.position > $1.position }
        return deeper >= count - 2
    }
}
