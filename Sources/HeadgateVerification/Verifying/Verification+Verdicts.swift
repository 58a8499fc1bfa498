import HeadgateTesting

extension Verification {
    mutating func take(_ evidence: Evidence) {
        take(Finding(rule: evidence.breach.rule, verdict: .broken(evidence)))
    }

    mutating func take(_ findings: [Finding]) { for finding in findings { take(finding) } }

    /// Records a finding, unless there is a stronger one about the rule.
    mutating func take(_ finding: Finding) {
        if let verdict = verdicts[finding.rule], verdict.strength >= finding.verdict.strength { return }
        verdicts[finding.rule] = finding.verdict
    }

    /// Goes on with the other rules, though a lock may be held.
    ///
    /// A recursive lock lets calls from inside return on the thread that holds it. With any other, a script may never
    /// return; so the scripts run on a thread of their own, which is abandoned when they stop advancing.
    ///
    /// - Parameters:
    ///   - findings: The findings of calls on other threads.
    ///   - timeout: The number of milliseconds that a script may take.
    ///   - progress: Advances with every script.
    ///   - body: Checks the other rules.
    mutating func goOn(
        after findings: [Finding], timeout: Int, progress: ScriptProgress,
        _ body: @escaping (inout Verification) -> Void
    ) {
        guard let lock = findings.first(where: \.isOfALockHeld) else { return body(&self) }
        take(lock)
        // It is read when the thread has been joined, or not at all.
        var verification = self
        if runSideBySide([{ body(&verification) }], timeout: timeout, progress: { progress.count }) {
            self = verification
        } else {
            abandon(Rule.all, because: "while a lock is held, a script may never return")
        }
    }

    /// Gives up checking some rules because of a rule that is broken; excusing that one does not make up for it.
    mutating func abandon(_ rules: [Rule], because reason: String) {
        let abandoned = rules.filter { verdicts[$0] == nil }
        fill(abandoned, .notCheckable(reason))
        isComplete = isComplete && abandoned.isEmpty
    }

    /// Gives up what takes a comparison with a run under unlimited demand, if such a run does not deliver everything.
    mutating func abandonComparisons<Output, Failure: Error>(of runner: ScriptRunner<Output, Failure>) {
        if !runner.references.isUnfit { return }
        abandon(
            [.exhaustedDemandDoesNotComplete, .completesAfterLastValue, .unlimitedAbsorbs, .nothingIsLost],
            because: "unlimited demand does not deliver everything, so runs can't be compared")
    }

    /// Compares the end of the stream with its declared capabilities.
    mutating func checkEnding(of full: Outcome, _ capabilities: Capabilities) {
        func note(_ rule: Rule, _ finding: String) {
            take(.broken(rule, finding, script: "subscribe; request everything", timeLine: full.timeLine))
        }
        if capabilities.contains(.finite), full.ending == nil {
            let what =
                full.isCancelled
                ? "no completion within \(full.values.count - 1) values" : "a finite publisher does not complete"
            note(.completesAfterLastValue, what)
        }
        if capabilities.contains(.fails), full.ending == nil || full.ending == "finished" {
            note(.nothingIsLost, "a publisher that fails did not fail")
        }
        if capabilities.contains(.unbounded), full.ending != nil {
            note(.exhaustedDemandDoesNotComplete, "an unbounded publisher completes")
        }
    }

    /// Requests unlimited values of a publisher without an end, which has to obey `cancel()` for that.
    mutating func checkUnlimited<Output, Failure: Error>(_ runner: ScriptRunner<Output, Failure>) {
        guard runner.capabilities.contains(.unbounded), !runner.capabilities.contains(.asynchronous) else { return }
        if brokenRules.contains(.cancelStopsDelivery) {
            abandon([.unlimitedAbsorbs], because: "a stream that does not stop at cancel() would never return")
        } else {
            take(runner.probeUnlimited())
        }
    }

    /// Sets the verdict on the rules that have none.
    mutating func fill(_ rules: [Rule], _ verdict: Verdict) {
        for rule in rules where verdicts[rule] == nil { verdicts[rule] = verdict }
    }

    /// Fills in the rules without a breach.
    mutating func fillIn(forPublisherWith capabilities: Capabilities) {
        if capabilities.contains(.hot) {
            fill(
                [.completesAfterLastValue, .demandAddsUp, .unlimitedAbsorbs, .nothingIsLost],
                .notCheckable("the publisher is hot, so runs can't be compared"))
            if !capabilities.isDisjoint(with: [.finite, .fails]) || subject == "operator" {
                fill(
                    [.exhaustedDemandDoesNotComplete],
                    .notCheckable("the stream ends by itself, and runs can't be compared"))
            }
        }
        if capabilities.contains(.hot), capabilities.contains(.asynchronous) {
            fill(
                [.requestingNoneDoesNothing, .lateRequestsDoNothing],
                .notCheckable("the publisher is hot, so an answer can't be told from its other values"))
        }
        if capabilities.contains(.holdsSubscribers) {
            fill([.droppedSubscription], .notApplicable("it holds its subscribers until they cancel or it completes"))
        }
        fill([.subscribesUpstreamFirst], .notCheckable("the order of an operator's subscriptions can't be observed"))
        fill([.demandIsNotWithdrawn], .notApplicable("no call takes demand back"))
        fill([.requestsInTime], .notCheckable("a second stream is needed"))
        fill([.longPipelines], .notCheckable("running out of stack ends the process"))
        fill([.negativeCountsTrap, .programmerErrorsTrap], .notCheckable("a trap ends the process"))
        if capabilities.contains(.unbounded) { fill(Rule.ofTheEnd, .notApplicable("the stream has no end")) }
        fillInWhatWasNotSeen()
        fill(Rule.forPublishers, .held)
    }

    /// Fills in the rules that no run could have broken.
    private mutating func fillInWhatWasNotSeen() {
        if !coverage.hasEnded { fill(Rule.ofTheEnd, .notCheckable("the stream did not complete")) }
        if coverage.values < 1 { fill([.nothingIsLost], .notCheckable("no value arrived")) }
        if coverage.values < 2 {
            let verdict: Verdict =
                coverage.hasEnded
                ? .notApplicable("the stream has at most one value") : .notCheckable("fewer than two values arrived")
            fill([.exhaustedDemandDoesNotComplete, .demandAddsUp, .unlimitedAbsorbs, .noNestedValues], verdict)
        }
        if !coverage.wasCancelledInside { fill([.cancelStopsDelivery], .notCheckable("no value arrived to cancel at")) }
        fill(
            [.oneCallAtATime, .cancelElsewhere],
            .notCheckable("nothing was left to deliver while another thread called"))
    }
}

extension Verification.Verdict {
    /// An observation outweighs the lack of one.
    fileprivate var strength: Int {
        switch self {
        case .broken: 3
        case .held: 2
        case .notCheckable: 1
        case .notApplicable: 0
        }
    }
}

extension Rule {
    /// The rules of a publisher that one subscriber can check.
    static let forPublishers: [Rule] = [
        oneSubscription, valuesAgainstDemand, oneCompletion, silenceAfterTheEnd, exhaustedDemandDoesNotComplete,
        completesAfterLastValue,
        demandAddsUp, requestingNoneDoesNothing, unlimitedAbsorbs, lateRequestsDoNothing, nothingIsLost, noNestedValues,
        cancelStopsDelivery,
    ]

    /// The rules that only a stream with an end can break.
    static let ofTheEnd: [Rule] = [oneCompletion, silenceAfterTheEnd, completesAfterLastValue]
}
