import HeadgateCore
import HeadgateTesting

extension ScriptRunner {
    /// Checks that a stream continues though its subscriber releases the subscription: releasing is not cancelling.
    func probeForgetting() -> Finding? {
        if capabilities.contains(.hot) || capabilities.contains(.transparent) { return nil }
        let kept = makeRequest([.unlimited], isInside: true)
        if kept.values.isEmpty, kept.ending == nil {
            return .notCheckable(.droppedSubscription, "no value arrives from an upstream that the test drives")
        }
        let forgotten = makeRequest([.unlimited], isInside: true, forgetting: kept)
        if agrees(forgotten, kept) { return .held(.droppedSubscription) }
        return broken(
            .droppedSubscription, "the stream stops though it was not cancelled",
            script: "subscribe; request everything; release the subscription; upstream sends; upstream finishes",
            outcome: forgotten)
    }

    /// Whether as much has arrived; which values are left out may depend on how fast each is processed.
    func agrees(_ outcome: Outcome, _ full: Outcome) -> Bool {
        let isComplete =
            capabilities.contains(.leavesValuesOut)
            ? outcome.values.last == full.values.last : outcome.values == full.values
        return isComplete && outcome.ending == full.ending
    }

    /// Checks that the subscriber is released.
    func probeRelease() -> [Finding] {
        let sources = 0..<makeFixture().sourceCount
        let send = sources.map { ScriptAction.send(from: $0) }
        let finish = sources.map { ScriptAction.finish($0) }
        let two: [ScriptAction] = [.react(.cancel), .request(.max(2))]
        let cases: [(rule: Rule, script: String, actions: [ScriptAction])] = [
            (.releasesReferences, "cancel", [.cancel]),
            (.releasesReferences, "request 1; cancel", [.request(.max(1))] + send + [.cancel]),
            (.releasesReferences, "in a delivery: cancel; request 2", two + send + [.cancel]),
            (.releasesReferences, "request everything until the end", [.request(everything)] + finish + [.cancel]),
            (.droppedSubscription, "release the subscription", []),
            (.droppedSubscription, "request 1; release the subscription", [.request(.max(1))] + send),
        ]
        var findings: [Finding] = []
        for (rule, script, actions) in cases where !findings.contains(where: { $0.rule == rule }) {
            let fixture = makeFixture()
            let (isReleased, isUpstreamReleased, outcome) = release(
                fixture, after: actions, retainsSubscription: rule == .releasesReferences)
            if isReleased, isUpstreamReleased, fixture.hasReleasedUpstream() { continue }
            let what = isReleased ? "upstream's subscription" : "the subscriber"
            findings.append(broken(rule, "\(what) is retained", script: "subscribe; \(script)", outcome: outcome))
        }
        // That a rule is broken outweighs it.
        return findings + [.held(.releasesReferences), .held(.droppedSubscription)]
    }

    @inline(never) private func release(
        _ fixture: Fixture<Output, Failure>, after actions: [ScriptAction], retainsSubscription: Bool
    ) -> (isReleased: Bool, isUpstreamReleased: Bool, outcome: Outcome) {
        weak var weakSubscriber: Probe?
        let (kept, outcome) = use(fixture, actions, retainsSubscription) { weakSubscriber = $0 }
        settle(fixture)
        return withExtendedLifetime(kept) {
            let mayBeKept = capabilities.contains(.holdsSubscribers) && !retainsSubscription
            if !mayBeKept {
                lateness.wait(for: retainsSubscription ? .releasesReferences : .droppedSubscription) {
                    weakSubscriber == nil
                }
            }
            // A cancellation may be on its way to upstream.
            fixture.letTimePass()
            // The subscriber may retain the operator's subscription, but that must not retain upstream's.
            let mayKeepUpstream =
                capabilities.contains(.transparent) || kept.map(fixture.isOfUpstream) ?? false
            if !mayKeepUpstream { lateness.wait(for: .releasesReferences, until: fixture.hasReleasedUpstream) }
            return (weakSubscriber == nil, mayKeepUpstream || fixture.hasReleasedUpstream(), outcome)
        }
    }

    @inline(never) private func use(
        _ fixture: Fixture<Output, Failure>, _ actions: [ScriptAction], _ retainsSubscription: Bool,
        watch: (Probe) -> Void
    ) -> (kept: (any Subscription)?, outcome: Outcome) {
        let subscriber = Probe()
        watch(subscriber)
        attach(fixture, subscriber)
        for action in actions where action != .cancel { perform(action, fixture, subscriber) }
        settle(fixture)
        if actions.last == .cancel, !subscriber.outcome.isOver {
            subscriber.cancel()
            settle(fixture)
        }
        let subscription = subscriber.takeSubscription()
        return (retainsSubscription ? subscription : nil, subscriber.outcome)
    }
}
