extension Verification {
    mutating func take(_ found: [Rule: Evidence]) {
        for (rule, evidence) in found { take(Finding(rule: rule, verdict: .broken(evidence))) }
    }

    /// Takes a finding in, unless one that says more about the rule is there.
    mutating func take(_ finding: Finding) {
        if let verdict = verdicts[finding.rule], verdict.strength >= finding.verdict.strength { return }
        verdicts[finding.rule] = finding.verdict
    }

    /// Looks whether a lock is held, so that a script which calls from inside may never return.
    ///
    /// - Returns: Whether the report says all that can be said.
    mutating func stop(atALockIn findings: [Finding]) -> Bool {
        guard let lock = findings.first(where: \.isOfALockHeld) else { return false }
        take(lock)
        for rule in Rule.all { fill(rule, .notCheckable("where a lock is held, a script may never return")) }
        return true
    }

    /// Compares the end of the stream with what was declared.
    mutating func judgeEnding(of full: Outcome, _ capabilities: Capabilities) {
        let script = "subscribe; request everything"
        if capabilities.contains(.finite), full.ending == nil {
            let what =
                full.isCancelled ? "no end within \(full.values.count - 1) values" : "a finite publisher does not end"
            take(.broken(.endsBehindTheLastValue, what, script: script, outcome: full))
        }
        if capabilities.contains(.fails), full.ending == nil || full.ending == "finished" {
            take(.broken(.nothingIsLost, "a publisher that fails did not fail", script: script, outcome: full))
        }
        if capabilities.contains(.unbounded), full.ending != nil {
            take(.broken(.demandIsNoEnd, "an unbounded publisher ends", script: script, outcome: full))
        }
    }

    private mutating func fill(_ rule: Rule, _ verdict: Verdict) {
        if verdicts[rule] == nil { verdicts[rule] = verdict }
    }

    /// Fills in the rules of which scripts have shown no breach.
    mutating func fillIn(forPublisherWith capabilities: Capabilities) {
        if capabilities.contains(.hot) {
            for rule in [Rule.endsBehindTheLastValue, .demandAddsUp, .unlimitedAbsorbs, .nothingIsLost] {
                fill(rule, .notCheckable("values come by themselves, so runs can't be compared"))
            }
            if !capabilities.isDisjoint(with: [.finite, .fails]) || subject == "operator" {
                fill(.demandIsNoEnd, .notCheckable("the stream ends by itself, and runs can't be compared"))
            }
        }
        if capabilities.contains(.hot), capabilities.contains(.asynchronous) {
            for rule in [Rule.noneIsNothing, .lateRequestsDoNothing] {
                fill(rule, .notCheckable("values come by themselves, so an answer can't be told from them"))
            }
        }
        if capabilities.contains(.holdsSubscribers) {
            fill(.droppedSubscription, .notApplicable("it holds its subscribers until they cancel or it ends"))
        }
        fill(.subscribesUpstreamFirst, .notCheckable("the order in which an operator subscribes is its own affair"))
        fill(.demandStands, .notApplicable("no call takes demand back"))
        fill(.longPipelines, .notCheckable("running out of stack ends the process"))
        for rule in [Rule.negativeCountsTrap, .mistakesTrap] { fill(rule, .notCheckable("a trap ends the process")) }
        if capabilities.contains(.unbounded) {
            for rule in [Rule.oneCompletion, .silenceAfterTheEnd, .endsBehindTheLastValue] {
                fill(rule, .notApplicable("the stream has no end"))
            }
        }
        fillInWhatWasNotSeen()
        for rule in Rule.forPublishers { fill(rule, .held) }
    }

    /// Fills in the rules that nothing could have broken.
    private mutating func fillInWhatWasNotSeen() {
        if !coverage.hasEnded {
            for rule in [Rule.oneCompletion, .silenceAfterTheEnd, .endsBehindTheLastValue] {
                fill(rule, .notCheckable("the stream did not end"))
            }
        }
        if coverage.values < 1 { fill(.nothingIsLost, .notCheckable("no value came")) }
        if coverage.values < 2 {
            let verdict: Verdict =
                coverage.hasEnded
                ? .notApplicable("the stream has one value at the most") : .notCheckable("fewer than two values came")
            for rule in [Rule.demandIsNoEnd, .demandAddsUp, .unlimitedAbsorbs, .noNestedValues] { fill(rule, verdict) }
        }
        if !coverage.wasCancelledInside { fill(.cancelMeansStop, .notCheckable("no value came to cancel at")) }
        for rule in [Rule.oneCallAtATime, .cancelElsewhere] {
            fill(rule, .notCheckable("nothing was left to come while another thread called"))
        }
    }

    mutating func fillIn(held rules: [Rule]) {
        for rule in rules { fill(rule, .held) }
    }
}

extension Verification.Verdict {
    /// What was seen once outweighs what could not be seen another time.
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
    /// The rules that one subscriber can see a publisher keep.
    static let forPublishers: [Rule] = [
        oneSubscription, valuesAgainstDemand, oneCompletion, silenceAfterTheEnd, demandIsNoEnd, endsBehindTheLastValue,
        demandAddsUp, noneIsNothing, unlimitedAbsorbs, lateRequestsDoNothing, nothingIsLost, noNestedValues,
        cancelMeansStop,
    ]
}
