import HeadgateCore

extension Trial {
    /// Calls from another thread while a value is being delivered.
    func probeThreads(patience: Int) -> [Finding] {
        if capabilities.contains(.asynchronous) {
            return [Rule.noLockHeld, .anyThread, .workIsLeft, .cancelElsewhere].map {
                .notCheckable($0, "the subject has threads of its own")
            } + [.held(.oneCallAtATime)]
        }
        return probeRequestElsewhere(patience: patience) + probeCancelElsewhere(patience: patience)
    }

    private func probeRequestElsewhere(patience: Int) -> [Finding] {
        let script = "request 1; in the first delivery, on another thread: request 1"
        let (outcome, _, isStuck) = callElsewhere(demand: .max(1), patience: patience) { $0.request(.max(1)) }
        if outcome.values.isEmpty {
            return [Rule.noLockHeld, .anyThread, .workIsLeft].map { .notCheckable($0, "no value came") }
        }
        if isStuck {
            let finding = "request(_:) on another thread waits for the delivery to return"
            return [.broken(.noLockHeld, finding, script: script, outcome: outcome)]
        }
        var findings: [Finding] = outcome.breaches.map {
            .broken($0.rule, $0.finding, script: script, outcome: outcome)
        }
        if outcome.values.count > 1 {
            findings.append(.held(.workIsLeft))
        } else if isExpectedToGoOn {
            findings.append(.broken(.anyThread, "the request brought nothing", script: script, outcome: outcome))
        } else {
            findings.append(.notCheckable(.workIsLeft, "fewer than two values came"))
        }
        return findings + [.held(.noLockHeld), .held(.anyThread), .held(.oneCallAtATime)]
    }

    private func probeCancelElsewhere(patience: Int) -> [Finding] {
        let script = "request 4; in the first delivery, on another thread: cancel"
        let (outcome, wasAnythingLeft, isStuck) = callElsewhere(demand: .max(4), patience: patience) { $0.cancel() }
        if outcome.values.isEmpty { return [] }
        if isStuck {
            let finding = "cancel() on another thread waits for the delivery to return"
            return [.broken(.noLockHeld, finding, script: script, outcome: outcome)]
        }
        // The delivery was under way until after cancel() had returned, so nothing else can have been.
        if outcome.values.count > 1 || outcome.ending != nil {
            let what = outcome.values.count > 1 ? "a value" : "the end"
            return [
                .broken(.cancelElsewhere, "\(what) after cancel() has returned", script: script, outcome: outcome)
            ]
        }
        return wasAnythingLeft ? [.held(.cancelElsewhere)] : []
    }

    /// Whether a second value is there for whoever asks for it.
    private var isExpectedToGoOn: Bool {
        if makeRig().source != nil { return !isOperator }
        return capabilities.isDisjoint(with: [.hot, .dropsUnasked]) && (runFreely()?.values.count ?? 0) > 1
    }

    /// Has another thread do something in the first delivery, and waits for it there.
    private func callElsewhere(
        demand: Subscribers.Demand, patience: Int, _ call: @escaping (Examiner<Output, Failure>) -> Void
    ) -> (outcome: Outcome, wasAnythingLeft: Bool, isStuck: Bool) {
        let rig = makeRig()
        let examiner = Examiner<Output, Failure>()
        var isStuck = false
        examiner.onValue = { examiner, index in
            if index > 0 { return }
            // Whoever is stuck gets through when this delivery is over.
            if !runSideBySide([{ call(examiner) }], patience: patience) { isStuck = true }
        }
        attach(rig, examiner)
        examiner.request(demand)
        settle(rig)
        bringValues(from: rig, to: examiner)
        let outcome = examiner.outcome
        examiner.leave()
        let free = rig.source == nil ? runFreely() : nil
        let wasAnythingLeft = rig.source != nil || free.map { $0.values.count > 1 || $0.ending != nil } ?? false
        return (outcome, wasAnythingLeft, isStuck)
    }

    /// Has the source send until two values got through, and finish if that is what it takes.
    private func bringValues(from rig: Rig<Output, Failure>, to examiner: Examiner<Output, Failure>) {
        for _ in 0..<30 where examiner.outcome.values.count < 2 {
            guard rig.send() else { break }
            settle(rig)
        }
        if examiner.outcome.values.count < 2 { rig.finish() }
        settle(rig)
    }
}
