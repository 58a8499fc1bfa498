import Dispatch
import HeadgateCore

/// What a probe found out about one rule.
struct Finding {
    let rule: Rule
    let verdict: Verification.Verdict

    static func held(_ rule: Rule) -> Finding { Finding(rule: rule, verdict: .held) }

    static func notCheckable(_ rule: Rule, _ reason: String) -> Finding {
        Finding(rule: rule, verdict: .notCheckable(reason))
    }

    static func broken(_ rule: Rule, _ finding: String, script: String, outcome: Outcome) -> Finding {
        Finding(
            rule: rule,
            verdict: .broken(
                .init(breach: Breach(rule, finding), script: script, timeLine: outcome.timeLine, seed: nil)))
    }
}

extension Trial {
    /// Everything that scripts can't show: depth of the stack, other threads, release.
    func probe(patience: Int) -> [Finding] {
        probeStack() + probeThreads(patience: patience) + probeRelease()
    }

    /// Asks one by one from inside each delivery, and looks whether the stack grows.
    ///
    /// Where few values come, because few is what there is, nothing can be said.
    private func probeStack() -> [Finding] {
        let reactions = [Move](repeating: .react(.request(.max(1))), count: 24)
        let outcome = run(reactions + [.request(.max(1))]).outcome
        // The first value may come by another way than the rest.
        let positions = outcome.stackPositions.dropFirst()
        if positions.count < 3 {
            return [.notCheckable(.flatStack, "fewer than four values came to requests from inside deliveries")]
        }
        let isGrowing = zip(positions, positions.dropFirst()).allSatisfy { $0 > $1 }
        if !isGrowing { return [.held(.flatStack)] }
        return [
            .broken(
                .flatStack, "the stack grows with every request from inside a delivery",
                script: "request 1; in every delivery: request 1", outcome: outcome)
        ]
    }

    /// Calls from another thread while a value is being delivered.
    private func probeThreads(patience: Int) -> [Finding] {
        if capabilities.contains(.asynchronous) {
            return [Rule.noLockHeld, .anyThread, .workIsLeft].map {
                .notCheckable($0, "the subject has threads of its own")
            }
        }
        var findings: [Finding] = []
        var isReached = false
        for cancels in [false, true] {
            let rig = makeRig()
            let examiner = Examiner<Output, Failure>()
            let isStuck = Locked(false)
            examiner.onValue = { examiner, index in
                if index > 0 { return }
                let isDone = DispatchSemaphore(value: 0)
                DispatchQueue.global(qos: .userInitiated).async {
                    if cancels { examiner.cancel() } else { examiner.request(.max(1)) }
                    isDone.signal()
                }
                let result = isDone.wait(timeout: .now() + .milliseconds(patience))
                isStuck.withLock { $0 = result == .timedOut }
                // Whoever is stuck gets through when this delivery is over.
                if result == .timedOut { examiner.onValue = nil }
            }
            rig.attach(examiner)
            settle(rig)
            examiner.request(.max(cancels ? 4 : 1))
            settle(rig)
            bringAValue(from: rig, to: examiner)
            let outcome = examiner.outcome
            if outcome.values.isEmpty { continue }
            isReached = true
            let script = "request 1; in the first delivery, on another thread: " + (cancels ? "cancel" : "request 1")
            if isStuck.withLock({ $0 }) {
                let call = cancels ? "cancel()" : "request(_:)"
                findings.append(
                    .broken(
                        .noLockHeld, "\(call) on another thread waits for the delivery to return", script: script,
                        outcome: outcome))
            }
            for breach in outcome.breaches {
                findings.append(.broken(breach.rule, breach.finding, script: script, outcome: outcome))
            }
            if !outcome.isOver { examiner.subscription?.cancel() }
            _ = examiner.takeSubscription()
        }
        let rules = [Rule.noLockHeld, .anyThread, .workIsLeft]
        if !isReached { return rules.map { .notCheckable($0, "no value came") } }
        return findings + rules.filter { rule in !findings.contains { $0.rule == rule } }.map { .held($0) }
    }

    /// Has the source send until a value gets through, and finish if that is what it takes.
    private func bringAValue(from rig: Rig<Output, Failure>, to examiner: Examiner<Output, Failure>) {
        while examiner.outcome.values.isEmpty, rig.source?(.send) ?? false { settle(rig) }
        if examiner.outcome.values.isEmpty { _ = rig.source?(.finish) }
        settle(rig)
    }

    /// Looks whether the subscriber is let go of.
    private func probeRelease() -> [Finding] {
        let cases:
            [(rule: Rule, name: String, keeps: Bool, body: (Examiner<Output, Failure>, Rig<Output, Failure>) -> Void)] =
                [
                    (.letsGo, "subscribe; cancel", true, { examiner, _ in examiner.cancel() }),
                    (
                        .letsGo, "subscribe; request 1; cancel", true,
                        { examiner, rig in
                            examiner.request(.max(1))
                            _ = rig.source?(.send)
                            settle(rig)
                            examiner.cancel()
                        }
                    ),
                    (
                        .letsGo, "subscribe; in a delivery: cancel; request 2", true,
                        { examiner, rig in
                            examiner.arrange(.cancel)
                            examiner.request(.max(2))
                            _ = rig.source?(.send)
                            settle(rig)
                            if !examiner.outcome.isOver { examiner.cancel() }
                        }
                    ),
                    (
                        .letsGo, "subscribe; request everything until the end", true,
                        { examiner, rig in
                            examiner.request(everything)
                            _ = rig.source?(.finish)
                            settle(rig)
                            if !examiner.outcome.isOver { examiner.cancel() }
                        }
                    ),
                    (.droppedSubscription, "subscribe; let go of the subscription", false, { _, _ in }),
                    (
                        .droppedSubscription, "subscribe; request 1; let go of the subscription", false,
                        { examiner, rig in
                            examiner.request(.max(1))
                            _ = rig.source?(.send)
                            settle(rig)
                        }
                    ),
                ]
        var findings: [Finding] = []
        for (rule, name, keeps, body) in cases where !findings.contains(where: { $0.rule == rule }) {
            let rig = makeRig()
            let (isReleased, outcome) = release(rig, keepsSubscription: keeps, body)
            if !isReleased {
                let what = "the subscriber is kept"
                findings.append(.broken(rule, what, script: name, outcome: outcome))
            } else if !rig.hasReleasedUpstream() {
                findings.append(.broken(rule, "upstream's subscription is kept", script: name, outcome: outcome))
            }
        }
        return findings
            + [Rule.letsGo, .droppedSubscription].filter { rule in !findings.contains { $0.rule == rule } }
            .map { .held($0) }
    }

    @inline(never)
    private func release(
        _ rig: Rig<Output, Failure>, keepsSubscription: Bool,
        _ body: (Examiner<Output, Failure>, Rig<Output, Failure>) -> Void
    ) -> (isReleased: Bool, outcome: Outcome) {
        weak var weakExaminer: Examiner<Output, Failure>?
        let (kept, outcome) = use(rig, keepsSubscription: keepsSubscription, body) { weakExaminer = $0 }
        settle(rig)
        return withExtendedLifetime(kept) { (weakExaminer == nil, outcome) }
    }

    @inline(never)
    private func use(
        _ rig: Rig<Output, Failure>, keepsSubscription: Bool,
        _ body: (Examiner<Output, Failure>, Rig<Output, Failure>) -> Void, watch: (Examiner<Output, Failure>) -> Void
    ) -> (kept: (any Subscription)?, outcome: Outcome) {
        let examiner = Examiner<Output, Failure>()
        watch(examiner)
        rig.attach(examiner)
        settle(rig)
        body(examiner, rig)
        settle(rig)
        let subscription = examiner.takeSubscription()
        return (keepsSubscription ? subscription : nil, examiner.outcome)
    }
}
