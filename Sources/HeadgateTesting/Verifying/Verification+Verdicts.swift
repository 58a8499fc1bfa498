extension Verification {
    mutating func take(_ found: [Rule: Evidence]) {
        for (rule, evidence) in found { take(Finding(rule: rule, verdict: .broken(evidence))) }
    }

    /// Records a finding, unless there is a stronger one about the rule.
    mutating func take(_ finding: Finding) {
        if let verdict = verdicts[finding.rule], verdict.strength >= finding.verdict.strength { return }
        verdicts[finding.rule] = finding.verdict
    }

    /// Stops if a lock is held, because a script that calls from inside might never return.
    ///
    /// - Returns: Whether the report is complete.
    mutating func stop(atALockIn findings: [Finding]) -> Bool {
        guard let lock = findings.first(where: \.isOfALockHeld) else { return false }
        take(lock)
        for rule in Rule.all { fill(rule, .notCheckable("while a lock is held, a script may never return")) }
        return true
    }

    /// Compares the end of the stream with its declared capabilities.
    mutating func checkEnding(of full: Outcome, _ capabilities: Capabilities) {
        let script = "subscribe; request everything"
        if capabilities.contains(.finite), full.ending == nil {
            let what =
                full.isCancelled
                ? "no completion within \(full.values.count - 1) values" : "a finite publisher does not complete"
            take(.broken(.completesAfterLastValue, what, script: script, outcome: full))
        }
        if capabilities.contains(.fails), full.ending == nil || full.ending == "finished" {
            take(.broken(.nothingIsLost, "a publisher that fails did not fail", script: script, outcome: full))
        }
        if capabilities.contains(.unbounded), full.ending != nil {
            take(
                .broken(
                    .exhaustedDemandDoesNotComplete, "an unbounded publisher completes", script: script, outcome: full))
        }
    }

    private mutating func fill(_ rule: Rule, _ verdict: Verdict) {
        if verdicts[rule] == nil { verdicts[rule] = verdict }
    }

    /// Fills in the rules without a breach.
    mutating func fillIn(forPublisherWith capabilities: Capabilities) {
        if capabilities.contains(.hot) {
            for rule in [Rule.completesAfterLastValue, .demandAddsUp, .unlimitedAbsorbs, .nothingIsLost] {
                fill(rule, .notCheckable("the publisher is hot, so runs can't be compared"))
            }
            if !capabilities.isDisjoint(with: [.finite, .fails]) || subject == "operator" {
                fill(
                    .exhaustedDemandDoesNotComplete,
                    .notCheckable("the stream ends by itself, and runs can't be compared"))
            }
        }
        if capabilities.contains(.hot), capabilities.contains(.asynchronous) {
            for rule in [Rule.requestingNoneDoesNothing, .lateRequestsDoNothing] {
                fill(rule, .notCheckable("the publisher is hot, so an answer can't be told from its other values"))
            }
        }
        if capabilities.contains(.holdsSubscribers) {
            fill(.droppedSubscription, .notApplicable("it holds its subscribers until they cancel or it completes"))
        }
        fill(.subscribesUpstreamFirst, .notCheckable("the order of an operator's subscriptions can't be observed"))
        fill(.demandIsNotWithdrawn, .notApplicable("no call takes demand back"))
        fill(.longPipelines, .notCheckable("running out of stack ends the process"))
        for rule in [Rule.negativeCountsTrap, .programmerErrorsTrap] {
            fill(rule, .notCheckable("a trap ends the process"))
        }
        if capabilities.contains(.unbounded) {
            for rule in [Rule.oneCompletion, .silenceAfterTheEnd, .completesAfterLastValue] {
                fill(rule, .notApplicable("the stream has no end"))
            }
        }
        fillInWhatWasNotSeen()
        for rule in Rule.forPublishers { fill(rule, .held) }
    }

    /// Fills in the rules that no run could have broken.
    private mutating func fillInWhatWasNotSeen() {
        if !coverage.hasEnded {
            for rule in [Rule.oneCompletion, .silenceAfterTheEnd, .completesAfterLastValue] {
                fill(rule, .notCheckable("the stream did not complete"))
            }
        }
        if coverage.values < 1 { fill(.nothingIsLost, .notCheckable("no value arrived")) }
        if coverage.values < 2 {
            let verdict: Verdict =
                coverage.hasEnded
                ? .notApplicable("the stream has at most one value") : .notCheckable("fewer than two values arrived")
            for rule in [Rule.exhaustedDemandDoesNotComplete, .demandAddsUp, .unlimitedAbsorbs, .noNestedValues] {
                fill(rule, verdict)
            }
        }
        if !coverage.wasCancelledInside { fill(.cancelStopsDelivery, .notCheckable("no value arrived to cancel at")) }
        for rule in [Rule.oneCallAtATime, .cancelElsewhere] {
            fill(rule, .notCheckable("nothing was left to deliver while another thread called"))
        }
    }

    mutating func fillIn(held rules: [Rule]) {
        for rule in rules { fill(rule, .held) }
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
}
