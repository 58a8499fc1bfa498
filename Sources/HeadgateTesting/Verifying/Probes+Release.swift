import HeadgateCore

extension Trial {
    /// Checks that a stream continues though its subscriber releases the subscription: releasing is not cancelling.
    func probeForgetting() -> Finding? {
        if capabilities.contains(.hot) || capabilities.contains(.transparent) { return nil }
        let kept = listen(forgetting: false)
        if kept.values.isEmpty, kept.ending == nil {
            return .notCheckable(.droppedSubscription, "no value arrives from an upstream that the test drives")
        }
        let forgotten = listen(forgetting: true)
        if forgotten.values == kept.values, forgotten.ending == kept.ending { return .held(.droppedSubscription) }
        return .broken(
            .droppedSubscription, "the stream stops though it was not cancelled",
            script: "subscribe; request everything; release the subscription; upstream sends; upstream finishes",
            outcome: forgotten)
    }

    private func listen(forgetting: Bool) -> Outcome {
        let rig = makeRig()
        let examiner = Examiner<Output, Failure>(initialDemand: .unlimited)
        attach(rig, examiner)
        let subscription = forgetting ? nil : examiner.subscription
        _ = examiner.takeSubscription()
        for _ in 0..<3 {
            rig.send()
            settle(rig)
        }
        rig.finish()
        settle(rig)
        return withExtendedLifetime(subscription) { examiner.outcome }
    }

    /// Checks that the subscriber is released.
    func probeRelease() -> [Finding] {
        let cases:
            [(rule: Rule, name: String, keeps: Bool, body: (Examiner<Output, Failure>, Rig<Output, Failure>) -> Void)] =
                [
                    (.letsGo, "subscribe; cancel", true, { examiner, _ in examiner.cancel() }),
                    (
                        .letsGo, "subscribe; request 1; cancel", true,
                        { examiner, rig in
                            examiner.request(.max(1))
                            rig.send()
                            settle(rig)
                            examiner.cancel()
                        }
                    ),
                    (
                        .letsGo, "subscribe; in a delivery: cancel; request 2", true,
                        { examiner, rig in
                            examiner.arrange(.cancel)
                            examiner.request(.max(2))
                            rig.send()
                            settle(rig)
                            if !examiner.outcome.isOver { examiner.cancel() }
                        }
                    ),
                    (
                        .letsGo, "subscribe; request everything until the end", true,
                        { examiner, rig in
                            examiner.request(everything)
                            rig.finish()
                            settle(rig)
                            if !examiner.outcome.isOver { examiner.cancel() }
                        }
                    ),
                    (.droppedSubscription, "subscribe; release the subscription", false, { _, _ in }),
                    (
                        .droppedSubscription, "subscribe; request 1; release the subscription", false,
                        { examiner, rig in
                            examiner.request(.max(1))
                            rig.send()
                            settle(rig)
                        }
                    ),
                ]
        var findings: [Finding] = []
        for (rule, name, keeps, body) in cases where !findings.contains(where: { $0.rule == rule }) {
            let rig = makeRig()
            let (isReleased, outcome) = release(rig, keepsSubscription: keeps, body)
            if !isReleased {
                let what = "the subscriber is retained"
                findings.append(.broken(rule, what, script: name, outcome: outcome))
                continue
            }
            // A cancellation may be on its way to upstream.
            rig.letTimePass()
            if !rig.hasReleasedUpstream() {
                findings.append(.broken(rule, "upstream's subscription is retained", script: name, outcome: outcome))
            }
        }
        return findings
            + [Rule.letsGo, .droppedSubscription].filter { rule in !findings.contains { $0.rule == rule } }
            .map { .held($0) }
    }

    @inline(never) private func release(
        _ rig: Rig<Output, Failure>, keepsSubscription: Bool,
        _ body: (Examiner<Output, Failure>, Rig<Output, Failure>) -> Void
    ) -> (isReleased: Bool, outcome: Outcome) {
        weak var weakExaminer: Examiner<Output, Failure>?
        let (kept, outcome) = use(rig, keepsSubscription: keepsSubscription, body) { weakExaminer = $0 }
        settle(rig)
        return withExtendedLifetime(kept) {
            let mayBeKept = capabilities.contains(.holdsSubscribers) && !keepsSubscription
            if !mayBeKept { lateness.wait { weakExaminer == nil } }
            return (weakExaminer == nil, outcome)
        }
    }

    @inline(never) private func use(
        _ rig: Rig<Output, Failure>, keepsSubscription: Bool,
        _ body: (Examiner<Output, Failure>, Rig<Output, Failure>) -> Void, watch: (Examiner<Output, Failure>) -> Void
    ) -> (kept: (any Subscription)?, outcome: Outcome) {
        let examiner = Examiner<Output, Failure>()
        watch(examiner)
        attach(rig, examiner)
        body(examiner, rig)
        settle(rig)
        let subscription = examiner.takeSubscription()
        return (keepsSubscription ? subscription : nil, examiner.outcome)
    }
}
