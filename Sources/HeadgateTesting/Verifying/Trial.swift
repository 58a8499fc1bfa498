import HeadgateCore

/// Runs scripts on fixtures of one kind and checks the results.
struct Trial<Output, Failure: Error> {
    let capabilities: Capabilities

    /// Whether the subject has an upstream, and so may need demand to receive the completion.
    let isOperator: Bool

    /// When work on a scheduler runs.
    var pace = Pace.atOnce

    let makeRig: () -> Rig<Output, Failure>

    /// The references for comparison.
    var book = ReferenceBook()

    /// Waits for late events.
    let lateness: Lateness

    /// The demand that stands for "everything".
    var everything: Subscribers.Demand { capabilities.contains(.unbounded) ? .max(40) : .unlimited }

    init(capabilities: Capabilities, isOperator: Bool, makeRig: @escaping () -> Rig<Output, Failure>) {
        self.capabilities = capabilities
        self.isOperator = isOperator
        self.makeRig = makeRig
        lateness = Lateness(capabilities.contains(.asynchronous), patience: Effort.normal.patience)
        pace = capabilities.contains(.endsByTime) ? .whenDue : .atOnce
    }

    /// The same run for scripts that control when time passes.
    var waiting: Trial {
        var trial = self
        trial.pace = .onWaiting
        trial.book = ReferenceBook(behind: book)
        return trial
    }

    /// Whether work is ever scheduled.
    var usesAScheduler: Bool {
        let rig = makeRig()
        guard let clock = rig.clock else { return false }
        let examiner = Examiner<Output, Failure>(initialDemand: .max(1))
        rig.attach(examiner)
        rig.letTimePass()
        rig.send()
        examiner.leave()
        return clock.scheduledCount > 0
    }

    /// Runs scheduled work between two actions.
    func settle(_ rig: Rig<Output, Failure>) {
        switch pace {
        case .atOnce: rig.letTimePass()
        case .whenDue: rig.runDue()
        case .onWaiting: break
        }
    }

    /// Connects a subscriber.
    ///
    /// If scripts control when time passes, only work due at the subscription runs.
    func attach(_ rig: Rig<Output, Failure>, _ examiner: Examiner<Output, Failure>) {
        rig.attach(examiner)
        if pace == .onWaiting { rig.runDue() } else { settle(rig) }
    }

    /// Waits for all events under unlimited demand.
    func awaitAll(_ examiner: Examiner<Output, Failure>) {
        lateness.waitForAll(ends: !capabilities.isDisjoint(with: [.finite, .fails])) {
            examiner.outcome.isOver
        } count: {
            examiner.outcome.values.count
        }
    }

    /// Runs a script.
    ///
    /// - Returns: The outcome, and whether the last action had any effect.
    func run(_ moves: [Move]) -> (outcome: Outcome, wasEffective: Bool) {
        let rig = makeRig()
        let examiner = Examiner<Output, Failure>(initialDemand: moves.initialDemand, cancelsAtOnce: moves.cancelsAtOnce)
        examiner.onCompletion = rig.completionWasHeard
        attach(rig, examiner)
        if !examiner.isSubscribed { examiner.add(Breach(.oneSubscription, "no subscription")) }
        var wasEffective = true
        var history: [Move] = []
        for move in moves {
            let before = examiner.outcome
            let outstanding = examiner.outstanding
            let askCount = rig.askCount()
            wasEffective = perform(move, rig, examiner)
            settle(rig)
            let after = examiner.outcome
            judgeRequest(move, outstanding: outstanding, before: before, after: after).map(examiner.add)
            if rig.askCount() > askCount { judgeAsking(move, isOver: before.isOver).map(examiner.add) }
            if wasEffective { judgeFailure(move, before: before, after: after).map(examiner.add) }
            if capabilities.contains(.endsByTime), move == .wait, before.ending == nil, after.ending != nil {
                examiner.noteEndByTime()
            }
            guard rig.source != nil, wasEffective, move.isOfUpstream || move == .wait else { continue }
            let arrivals = arrivals(behind: history, of: move)
            history.append(move)
            judgeArrivals(arrivals, outstanding: outstanding, before: before, after: after).map(examiner.add)
        }
        var outcome = conclude(rig, examiner, history)
        outcome.breaches += rig.inspect(outcome)
        outcome.hasEndedEarly = rig.hasEndedEarly()
        if outcome.isOver, let breach = rig.findTimersLeftBehind() { outcome.breaches.append(breach) }
        if rig.source == nil { outcome.breaches += judgeUnexpectedEnd(outcome) }
        examiner.leave()
        return (outcome, wasEffective)
    }

    /// - Returns: Whether the action was possible.
    private func perform(_ move: Move, _ rig: Rig<Output, Failure>, _ examiner: Examiner<Output, Failure>) -> Bool {
        switch move {
        case .begin, .beginCancelling: break
        case .request(let demand): examiner.request(demand)
        case .cancel: examiner.cancel()
        case .react(let reaction): examiner.arrange(reaction)
        case .send, .finish, .fail: return rig.source?(move) ?? false
        case .wait: rig.letTimePass()
        }
        return true
    }

    /// Completes pending work, and checks the outcome.
    private func conclude(
        _ rig: Rig<Output, Failure>, _ examiner: Examiner<Output, Failure>, _ history: [Move]
    ) -> Outcome {
        let reference = reference(for: history)
        let isByHand = rig.source != nil
        var before = examiner.outcome
        if pace == .whenDue {
            before.breaches += judge(before, against: reference, isByHand: isByHand)
            if before.breaches.isEmpty { return before }
        }
        rig.letTimePass()
        var after = examiner.outcome
        lateness.wait {
            if examiner.isDelivering { return false }
            after = examiner.outcome
            return judge(after, against: reference, isByHand: isByHand).isEmpty
        }
        // Missing events may be pending until the clock advances; but then advancing it delivers something.
        if pace == .whenDue, after.values.count == before.values.count { return before }
        if capabilities.contains(.endsByTime), before.ending == nil, after.ending != nil { after.end = .byTimeAtLast }
        after.breaches += judge(after, against: reference, isByHand: isByHand)
        return after
    }
}
