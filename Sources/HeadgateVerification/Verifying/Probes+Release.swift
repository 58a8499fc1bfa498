import HeadgateCore
import HeadgateTesting

extension ScriptRunner {
    /// Checks that a stream continues though its subscriber releases the subscription: releasing is not cancelling.
    func probeForgetting() -> Finding? {
        if capabilities.contains(.hot) || capabilities.contains(.transparent) { return nil }
        let kept = listen(forgetting: false)
        if kept.values.isEmpty, kept.ending == nil {
            return .notCheckable(.droppedSubscription, "no value arrives from an upstream that the test drives")
        }
        let forgotten = listen(forgetting: true, until: kept)
        if agrees(forgotten, kept) { return .held(.droppedSubscription) }
        return broken(
            .droppedSubscription, "the stream stops though it was not cancelled",
            script: "subscribe; request everything; release the subscription; upstream sends; upstream finishes",
            outcome: forgotten)
    }

    /// Whether as much has arrived; which values are left out may depend on how fast each is processed.
    private func agrees(_ outcome: Outcome, _ full: Outcome) -> Bool {
        let isComplete =
            capabilities.contains(.leavesValuesOut)
            ? outcome.values.last == full.values.last : outcome.values == full.values
        return isComplete && outcome.ending == full.ending
    }

    /// - Parameter full: What should arrive; `nil` for all that arrives.
    private func listen(forgetting: Bool, until full: Outcome? = nil) -> Outcome {
        let (fixture, subscriber) = begin(Probe(initialDemand: .unlimited))
        let subscription = forgetting ? nil : subscriber.subscription
        _ = subscriber.takeSubscription()
        for _ in 0..<3 {
            fixture.send()
            settle(fixture)
        }
        fixture.finish()
        settle(fixture)
        return withExtendedLifetime(subscription) {
            guard let full else {
                awaitAll(subscriber)
                return subscriber.outcome
            }
            lateness.wait(for: .droppedSubscription) { agrees(subscriber.outcome, full) }
            return subscriber.outcome
        }
    }

    /// Checks that the subscriber is released.
    func probeRelease() -> [Finding] {
        let cases: [(rule: Rule, name: String, keeps: Bool, body: (Probe, Fixture<Output, Failure>) -> Void)] = [
            (.releasesReferences, "subscribe; cancel", true, { subscriber, _ in subscriber.cancel() }),
            (
                .releasesReferences, "subscribe; request 1; cancel", true,
                { subscriber, fixture in
                    subscriber.request(.max(1))
                    fixture.send()
                    settle(fixture)
                    subscriber.cancel()
                }
            ),
            (
                .releasesReferences, "subscribe; in a delivery: cancel; request 2", true,
                { subscriber, fixture in
                    subscriber.arrange(.cancel)
                    subscriber.request(.max(2))
                    fixture.send()
                    settle(fixture)
                    if !subscriber.outcome.isOver { subscriber.cancel() }
                }
            ),
            (
                .releasesReferences, "subscribe; request everything until the end", true,
                { subscriber, fixture in
                    subscriber.request(everything)
                    fixture.finish()
                    settle(fixture)
                    if !subscriber.outcome.isOver { subscriber.cancel() }
                }
            ),
            (.droppedSubscription, "subscribe; release the subscription", false, { _, _ in }),
            (
                .droppedSubscription, "subscribe; request 1; release the subscription", false,
                { subscriber, fixture in
                    subscriber.request(.max(1))
                    fixture.send()
                    settle(fixture)
                }
            ),
        ]
        var findings: [Finding] = []
        for (rule, name, keeps, body) in cases where !findings.contains(where: { $0.rule == rule }) {
            let fixture = makeFixture()
            let (isReleased, isUpstreamReleased, outcome) = release(fixture, retainsSubscription: keeps, body)
            if isReleased, isUpstreamReleased, fixture.hasReleasedUpstream() { continue }
            let what = isReleased ? "upstream's subscription" : "the subscriber"
            findings.append(broken(rule, "\(what) is retained", script: name, outcome: outcome))
        }
        // That a rule is broken outweighs it.
        return findings + [.held(.releasesReferences), .held(.droppedSubscription)]
    }

    @inline(never) private func release(
        _ fixture: Fixture<Output, Failure>, retainsSubscription: Bool,
        _ body: (Probe, Fixture<Output, Failure>) -> Void
    ) -> (isReleased: Bool, isUpstreamReleased: Bool, outcome: Outcome) {
        weak var weakSubscriber: Probe?
        let (kept, outcome) = use(fixture, retainsSubscription: retainsSubscription, body) { weakSubscriber = $0 }
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
        _ fixture: Fixture<Output, Failure>, retainsSubscription: Bool,
        _ body: (Probe, Fixture<Output, Failure>) -> Void, watch: (Probe) -> Void
    ) -> (kept: (any Subscription)?, outcome: Outcome) {
        let subscriber = Probe()
        watch(subscriber)
        attach(fixture, subscriber)
        body(subscriber, fixture)
        settle(fixture)
        let subscription = subscriber.takeSubscription()
        return (retainsSubscription ? subscription : nil, subscriber.outcome)
    }
}
