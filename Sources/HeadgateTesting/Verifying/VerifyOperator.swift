import Headgate
import HeadgateCore

/// Tries an operator on both its edges, and tells rule by rule what it found.
///
/// The operator is put behind an upstream that is driven by hand, then behind one that answers demand at once, then
/// behind one that misbehaves. What it makes of the values is its own business; what is checked is that it does not
/// depend on demand, that nothing comes unasked, that `cancel()` gets through, and that everything is let go of.
///
/// ```swift
/// verify(operator: { $0.filter { $0.isMultiple(of: 2) } }).check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - operation: Puts the operator behind an upstream, whose values are 1, 2, 3 and so on.
///   - capabilities: What it is able to do.
///   - effort: How hard to look.
public func verify<P: Publisher>(
    operator operation: @escaping (TestPublisher<Int, VerificationFailure>) -> P, _ capabilities: Capabilities = [],
    effort: Effort = .normal
) -> Verification {
    verify(operator: { upstream, _ in operation(upstream) }, capabilities, effort: effort)
}

/// Tries an operator that works with a scheduler on both its edges, and tells rule by rule what it found.
///
/// ```swift
/// verify(operator: { upstream, scheduler in upstream.delay(for: .seconds(1), scheduler: scheduler) })
/// ```
///
/// - Parameters:
///   - operation: Puts the operator behind an upstream; the verifier moves the scheduler on after every step, and then
///     tries what happens while work waits.
///   - capabilities: What it is able to do.
///   - effort: How hard to look.
public func verify<P: Publisher>(
    operator operation: @escaping (TestPublisher<Int, VerificationFailure>, TestScheduler) -> P,
    _ capabilities: Capabilities = [], effort: Effort = .normal
) -> Verification {
    verify(
        operator: operation, behind: Array(1...24), failure: .upstreamFailed, capabilities, effort: effort)
}

/// Tries an operator for values and errors of other kinds on both its edges, and tells rule by rule what it found.
///
/// - Parameters:
///   - operation: Puts the operator behind an upstream.
///   - values: The values of the upstream.
///   - failure: How the upstream fails; `nil` where it can't.
///   - capabilities: What it is able to do.
///   - effort: How hard to look.
public func verify<Input, InputFailure: Error, P: Publisher>(
    operator operation: @escaping (TestPublisher<Input, InputFailure>, TestScheduler) -> P, behind values: [Input],
    failure: InputFailure?, _ capabilities: Capabilities = [], effort: Effort = .normal
) -> Verification {
    OperatorVerifier(
        operation: operation, values: values, failure: failure, capabilities: capabilities, effort: effort
    ).verify()
}

/// Puts together what is found out about an operator.
struct OperatorVerifier<Input, InputFailure: Error, P: Publisher> {
    let operation: (TestPublisher<Input, InputFailure>, TestScheduler) -> P
    let values: [Input]
    let failure: InputFailure?
    let capabilities: Capabilities
    let effort: Effort

    func verify() -> Verification {
        var verification = Verification(subject: "operator", verdicts: [:], scriptCount: 0)
        let byHand = Trial(capabilities: capabilities, isOperator: true, makeRig: rigByHand)
        if capabilities.contains(.merges) { byHand.findSources() }
        verification.search(byHand, effort.divided(by: 2), hasSource: true)
        verification.probe(byHand, patience: effort.patience)
        if let finding = byHand.probeForgetting() { verification.take(finding) }

        var endings: [Subscribers.Completion<InputFailure>] = [.finished]
        if let failure { endings.append(.failure(failure)) }
        for ending in endings {
            var trial = Trial(capabilities: capabilities, isOperator: true) { rig(serving: ending) }
            trial.book = ReferenceBook(sourcesOf: byHand.book)
            if let full = trial.runFreely() {
                verification.judgeEnding(of: full, capabilities.intersection(ending.expectation))
            }
            verification.search(trial, effort.divided(by: 2 * endings.count), hasSource: false)
            verification.probe(trial, patience: effort.patience)
        }
        if capabilities.contains(.transparent) {
            for rule in [Rule.secondSubscription, .ignoresWhatComesLate, .droppedSubscription] {
                verification.take(.notApplicable(rule, "a transparent operator leaves it to its downstream"))
            }
        } else {
            for finding in probeUpstreamThatMisbehaves() { verification.take(finding) }
        }
        if !verification.coverage.hasEndedEarly {
            verification.take(.notApplicable(.cancelsBeforeEnding, "the stream never ended before upstream did"))
        }
        verification.fillIn(held: [.cancelReachesUpstream, .cancelsBeforeEnding])
        verification.fillIn(forPublisherWith: capabilities)
        return verification
    }

    private func rigByHand() -> Rig<P.Output, P.Failure> {
        let upstream = TestPublisher<Input, InputFailure>()
        let next = Guarded(0)
        return rig(upstream) { move in
            switch move {
            case .send:
                let index = next.withLock { $0 }
                guard index < values.count, upstream.send(values[index]) else { return false }
                next.withLock { $0 += 1 }
                return true
            case .finish:
                guard upstream.isConnected else { return false }
                upstream.finish()
                return true
            case .fail:
                guard let failure, upstream.isConnected else { return false }
                upstream.fail(failure)
                return true
            case .begin, .request, .cancel, .react, .wait:
                return false
            }
        }
    }

    private func rig(serving ending: Subscribers.Completion<InputFailure>) -> Rig<P.Output, P.Failure> {
        rig(TestPublisher(serving: values, ending: ending), source: nil)
    }

    private func rig(
        _ upstream: TestPublisher<Input, InputFailure>, source: ((Move) -> Bool)?
    ) -> Rig<P.Output, P.Failure> {
        let scheduler = TestScheduler()
        let chain = operation(upstream, scheduler)
        let wasConnectedAtTheEnd = Guarded(false)
        let hasEndedEarly = Guarded(false)
        return Rig(
            attach: { chain.subscribe($0) }, source: source, clock: scheduler,
            inspect: { outcome in
                inspect(upstream, after: outcome, wasConnectedAtTheEnd: wasConnectedAtTheEnd.withLock { $0 })
            },
            completionWasHeard: {
                wasConnectedAtTheEnd.withLock { $0 = upstream.isConnected }
                hasEndedEarly.withLock { $0 = upstream.isConnected || upstream.cancelCount > 0 }
            },
            hasEndedEarly: { hasEndedEarly.withLock { $0 } },
            hasReleasedUpstream: { upstream.areSubscriptionsReleased })
    }

    private func inspect(
        _ upstream: TestPublisher<Input, InputFailure>, after outcome: Outcome, wasConnectedAtTheEnd: Bool
    ) -> [Breach] {
        var breaches: [Breach] = []
        if upstream.cancelCount > upstream.subscriptionCount, !capabilities.contains(.transparent) {
            breaches.append(Breach(.cancelReachesUpstream, "upstream was cancelled \(upstream.cancelCount) times"))
        }
        if outcome.isCancelled, outcome.ending == nil, upstream.isConnected || upstream.wasAbandoned {
            breaches.append(Breach(.cancelReachesUpstream, "cancel() did not get to upstream"))
        }
        if outcome.ending != nil, upstream.isConnected || upstream.wasAbandoned {
            breaches.append(Breach(.cancelsBeforeEnding, "the stream has ended and upstream was not cancelled"))
        } else if wasConnectedAtTheEnd {
            breaches.append(Breach(.cancelsBeforeEnding, "upstream was cancelled only after the end was told"))
        }
        return breaches
    }
}

extension Subscribers.Completion {
    /// What an operator that declares it has to do when its upstream ends so.
    fileprivate var expectation: Capabilities {
        switch self {
        case .finished: .finite
        case .failure: [.finite, .fails]
        }
    }
}
