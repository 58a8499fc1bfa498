import HeadgateCore

/// Runs scripts against one kind of rig and judges what comes out.
struct Trial<Output, Failure: Error> {
    let capabilities: Capabilities

    /// Whether the subject stands behind another publisher, and so may need demand to learn of the end.
    let isOperator: Bool

    /// When work on a scheduler is done.
    var pace = Pace.atOnce

    let makeRig: () -> Rig<Output, Failure>

    /// What is published if everything is asked for; `nil` where that differs from run to run.
    var reference: Reference?

    /// The demand that stands for "everything".
    var everything: Subscribers.Demand { capabilities.contains(.unbounded) ? .max(40) : .unlimited }

    init(capabilities: Capabilities, isOperator: Bool, makeRig: @escaping () -> Rig<Output, Failure>) {
        self.capabilities = capabilities
        self.isOperator = isOperator
        self.makeRig = makeRig
        pace = capabilities.contains(.endsByTime) ? .whenDue : .atOnce
    }

    /// The same trial for scripts that say where time passes.
    var waiting: Trial {
        var trial = self
        trial.pace = .onWaiting
        return trial
    }

    /// Whether anything is ever left to a scheduler.
    var usesAScheduler: Bool {
        let rig = makeRig()
        guard let clock = rig.clock else { return false }
        let examiner = Examiner<Output, Failure>(initialDemand: .max(1))
        rig.attach(examiner)
        rig.letTimePass()
        _ = rig.source?(.send)
        examiner.cancel()
        return clock.scheduledCount > 0
    }

    /// Does on the scheduler what is done between two moves.
    func settle(_ rig: Rig<Output, Failure>) {
        switch pace {
        case .atOnce: rig.letTimePass()
        case .whenDue: rig.runDue()
        case .onWaiting: break
        }
    }

    /// Runs without backpressure: everything is asked for on hearing the subscription.
    func runFreely() -> Outcome {
        let rig = makeRig()
        let examiner = Examiner<Output, Failure>(initialDemand: everything)
        rig.attach(examiner)
        settle(rig)
        rig.letTimePass()
        let outcome = examiner.outcome
        if !outcome.isOver { examiner.subscription?.cancel() }
        return outcome
    }

    /// Runs a script.
    ///
    /// - Returns: What happened, and whether the last move had any effect.
    func run(_ moves: [Move]) -> (outcome: Outcome, wasEffective: Bool) {
        let rig = makeRig()
        let examiner = Examiner<Output, Failure>()
        examiner.onCompletion = rig.completionWasHeard
        rig.attach(examiner)
        if pace == .onWaiting { rig.runDue() } else { settle(rig) }
        if !examiner.isSubscribed { examiner.add(Breach(.oneSubscription, "no subscription")) }
        var wasEffective = true
        var hasWaitedForTheEnd = false
        var late: [Breach] = []
        for move in moves {
            let before = examiner.outcome
            wasEffective = true
            switch move {
            case .request(let demand): examiner.request(demand)
            case .cancel: examiner.cancel()
            case .react(let reaction): examiner.arrange(reaction)
            case .send, .finish, .fail: wasEffective = rig.source?(move) ?? false
            case .wait: rig.letTimePass()
            }
            settle(rig)
            let after = examiner.outcome
            late += judgeMove(move, before: before, after: after)
            if move == .wait, before.ending == nil, after.ending != nil { hasWaitedForTheEnd = true }
        }
        var outcome = conclude(rig, examiner, hasWaitedForTheEnd: hasWaitedForTheEnd)
        outcome.breaches += late + rig.inspect(outcome)
        if outcome.isOver, let breach = rig.findTimersLeftBehind() { outcome.breaches.append(breach) }
        if rig.source == nil { outcome.breaches += judgeUnexpectedEnd(outcome) }
        // Whoever still listens leaves, so that nothing is left behind by the search.
        if !outcome.isOver { examiner.subscription?.cancel() }
        _ = examiner.takeSubscription()
        return (outcome, wasEffective)
    }

    /// Has what is under way done, and judges what came of it.
    private func conclude(
        _ rig: Rig<Output, Failure>, _ examiner: Examiner<Output, Failure>, hasWaitedForTheEnd: Bool
    ) -> Outcome {
        var outcome = examiner.outcome
        if pace == .whenDue {
            let breaches = judge(outcome, mindingTheEnd: true)
            outcome.breaches += breaches
            if breaches.isEmpty { return outcome }
        }
        let before = examiner.outcome
        rig.letTimePass()
        let after = examiner.outcome
        // What was missing was not under way.
        if pace == .whenDue, after.values.count == before.values.count { return outcome }
        outcome = after
        let endsByTime = capabilities.contains(.endsByTime)
        if endsByTime, hasWaitedForTheEnd { return outcome }
        let hasEndedByTime = endsByTime && before.ending == nil && outcome.ending != nil
        outcome.breaches += judge(outcome, mindingTheEnd: !hasEndedByTime)
        return outcome
    }

    /// Looks at requests that should do nothing.
    private func judgeMove(_ move: Move, before: Outcome, after: Outcome) -> [Breach] {
        guard case .request(let demand) = move, !capabilities.contains(.hot) else { return [] }
        let hasChanged = after.values.count != before.values.count || after.ending != before.ending
        if before.isOver {
            return after.breaches.count > before.breaches.count || hasChanged
                ? [Breach(.lateRequestsDoNothing, "a request after the end or cancel() was answered")] : []
        }
        if demand == .none, hasChanged {
            return [Breach(.noneIsNothing, "request(.none) was answered")]
        }
        return []
    }

    /// Looks at the end of a stream that has none of its own.
    private func judgeUnexpectedEnd(_ outcome: Outcome) -> [Breach] {
        guard capabilities.contains(.hot), capabilities.isDisjoint(with: [.finite, .fails]), !isOperator,
            outcome.ending != nil
        else { return [] }
        return [Breach(.demandIsNoEnd, "a stream that has no end of its own ended")]
    }

    /// Compares a run with the run in which everything was asked for.
    private func judge(_ outcome: Outcome, mindingTheEnd: Bool) -> [Breach] {
        guard let reference else { return [] }
        var breaches: [Breach] = []
        let heard = outcome.values.count
        let available = reference.values.count
        let isLossy = !capabilities.isDisjoint(with: [.dropsUnasked, .hot])
        let isComparable = !isLossy && !capabilities.contains(.merges)
        if isComparable, !outcome.values.elementsEqual(reference.values.prefix(heard)), heard <= available {
            breaches.append(Breach(.nothingIsLost, "other values than without backpressure, or in another order"))
        }
        if outcome.isCancelled || isLossy { return breaches }
        let owed = min(outcome.requested.max ?? available, available)
        if heard < owed, outcome.ending == nil || !mindingTheEnd {
            let rule: Rule = outcome.requested == .unlimited ? .unlimitedAbsorbs : .demandAddsUp
            breaches.append(Breach(rule, "\(outcome.requested.figure) asked for, \(heard) delivered"))
            return breaches
        }
        switch outcome.ending {
        case nil:
            if reference.ending != nil, heard == available {
                // Behind an upstream, the end may hide behind values that are left out.
                let mayHide = isOperator || capabilities.contains(.leavesValuesOut)
                let mustKnow = !mayHide || outcome.requested > .max(available)
                if mustKnow { breaches.append(Breach(.endsBehindTheLastValue, "no end behind the last value")) }
            }
        case let ending?:
            if !mindingTheEnd { return breaches }
            let mayFailEarly = isOperator && ending == reference.ending && ending != "finished"
            if heard < available, !mayFailEarly {
                let isUsedUp = outcome.requested <= .max(heard)
                breaches.append(
                    isUsedUp
                        ? Breach(.demandIsNoEnd, "an end as soon as demand was used up")
                        : Breach(.nothingIsLost, "an end before all values were delivered"))
            }
            // Which of several ends an operator gets to first may depend on demand.
            if ending != reference.ending, heard >= available, !reference.isOpenEnded, !isOperator {
                breaches.append(
                    Breach(
                        .nothingIsLost, "an end (\(ending)) unlike without backpressure (\(reference.ending ?? "none"))"
                    ))
            }
        }
        return breaches
    }
}
