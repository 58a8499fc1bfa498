import Headgate
import HeadgateEngine
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
///     .check { XCTFail($0, file: $1, line: $2) }
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
        operation: { operation($0[0], $1) }, values: [values], failure: failure, capabilities: capabilities,
        effort: effort
    ).verify()
}

/// Tries an operator that has several upstreams on all its edges, and tells rule by rule what it found.
///
/// Which upstream sends, finishes and fails when is part of what is tried in every order.
///
/// ```swift
/// verify(joining: 2) { upstreams, _ in upstreams[0].zip(upstreams[1]) }.check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - count: How many upstreams there are: one at the least. The values of the first are 1, 2, 3 and so on, those of the
///     second 1001, 1002 and so on.
///   - operation: Puts the operator behind the upstreams.
///   - capabilities: What it is able to do.
///   - effort: How hard to look.
public func verify<P: Publisher>(
    joining count: Int,
    _ operation: @escaping ([TestPublisher<Int, VerificationFailure>], TestScheduler) -> P,
    _ capabilities: Capabilities = [], effort: Effort = .normal
) -> Verification {
    OperatorVerifier(
        operation: operation, values: valuesOfUpstreams(count, each: 24), failure: .upstreamFailed,
        capabilities: capabilities, effort: effort
    ).verify()
}

/// The values of several upstreams: 1, 2, 3 and so on, 1001, 1002, 1003 and so on.
func valuesOfUpstreams(_ count: Int, each valueCount: Int) -> [[Int]] {
    if count < 1 {
        programmerError(
            rule: "What joins upstreams has one at the least.", found: "joining: \(count)",
            remedy: "Verify what has none with verify(publisher:) or stress(publisher:).")
    }
    return (0..<count).map { upstream in (1...valueCount).map { 1000 * upstream + $0 } }
}

/// Puts together what is found out about an operator.
struct OperatorVerifier<Input, InputFailure: Error, P: Publisher> {
    typealias Upstream = TestPublisher<Input, InputFailure>

    let operation: ([Upstream], TestScheduler) -> P

    /// What each upstream has to send.
    let values: [[Input]]

    let failure: InputFailure?
    let capabilities: Capabilities
    let effort: Effort

    func verify() -> Verification {
        effort.check()
        var verification = Verification(subject: "operator", verdicts: [:], scriptCount: 0)
        let byHand = Trial(capabilities: capabilities, isOperator: true, makeRig: rigByHand)
        var threads = byHand.probeThreads(patience: effort.patience) + probeLocks()
        if verification.stop(atALockIn: threads) { return verification }
        if capabilities.contains(.merges) { byHand.findSources() }
        for finding in byHand.probeReference() { verification.take(finding) }
        verification.search(byHand, effort.divided(by: 2))
        verification.probe(byHand, threads: threads)
        if let finding = byHand.probeForgetting() { verification.take(finding) }

        var endings: [Subscribers.Completion<InputFailure>] = [.finished]
        if let failure { endings.append(.failure(failure)) }
        for ending in endings {
            var trial = Trial(capabilities: capabilities, isOperator: true) { rig(serving: ending) }
            trial.book = ReferenceBook(sourcesOf: byHand.book)
            threads = trial.probeThreads(patience: effort.patience)
            if verification.stop(atALockIn: threads) { return verification }
            for finding in trial.probeReference() + probeEmptyUpstream(ending) { verification.take(finding) }
            if !trial.book.isUnfit, let full = trial.runFreely() {
                verification.judgeEnding(of: full, capabilities.intersection(ending.expectation))
            }
            verification.search(trial, effort.divided(by: 2 * endings.count))
            verification.probe(trial, threads: threads)
        }
        if capabilities.contains(.transparent) {
            for rule in [Rule.secondSubscription, .ignoresWhatComesLate, .droppedSubscription] {
                verification.take(.notApplicable(rule, "a transparent operator leaves it to its downstream"))
            }
        } else {
            for finding in probeUpstreamsThatMisbehave() { verification.take(finding) }
        }
        if !verification.coverage.hasEndedEarly {
            verification.take(.notApplicable(.cancelsBeforeEnding, "the stream never ended before upstream did"))
        }
        verification.fillIn(held: [.cancelReachesUpstream, .cancelsBeforeEnding])
        verification.fillIn(forPublisherWith: capabilities)
        return verification
    }

    private func rigByHand() -> Rig<P.Output, P.Failure> {
        let senders = values.map { Sender<Input, InputFailure>(values: $0) }
        return rig(senders.map(\.upstream)) { move in
            switch move {
            case .send(let number):
                return senders[number].sendNext()
            case .finish(let number):
                guard senders[number].upstream.isConnected else { return false }
                senders[number].upstream.finish()
                return true
            case .fail(let number):
                guard let failure, senders[number].upstream.isConnected else { return false }
                senders[number].upstream.fail(failure)
                return true
            case .begin, .beginCancelling, .request, .cancel, .react, .wait:
                return false
            }
        }
    }

    private func rig(
        serving ending: Subscribers.Completion<InputFailure>, limit: Int = .max
    ) -> Rig<P.Output, P.Failure> {
        rig(values.map { TestPublisher(serving: Array($0.prefix(limit)), ending: ending) }, source: nil)
    }

    /// Puts the operator behind upstreams that have nothing to say but the end, and say it at once.
    private func probeEmptyUpstream(_ ending: Subscribers.Completion<InputFailure>) -> [Finding] {
        let trial = Trial(capabilities: capabilities, isOperator: true) { rig(serving: ending, limit: 0) }
        let scripts: [[Move]] = [[], [.request(.max(1))], [.begin(.max(1))], [.beginCancelling(.none)]]
        return scripts.flatMap { moves in
            let outcome = trial.run(moves).outcome
            return outcome.breaches.map {
                Finding.broken(
                    $0.rule, $0.finding, script: "upstream ends at once, without values; " + moves.sentence,
                    outcome: outcome)
            }
        }
    }

    private func rig(_ upstreams: [Upstream], source: ((Move) -> Bool)?) -> Rig<P.Output, P.Failure> {
        let scheduler = TestScheduler()
        let chain = operation(upstreams, scheduler)
        let wasConnectedAtTheEnd = Guarded(false)
        let hasEndedEarly = Guarded(false)
        return Rig(
            attach: { chain.subscribe($0) }, source: source, sourceCount: upstreams.count, clock: scheduler,
            inspect: { outcome in
                let breaches = upstreams.flatMap {
                    $0.judgeCancellation(
                        hasEnded: outcome.ending != nil, isCancelled: outcome.isCancelled, capabilities)
                }
                if !breaches.isEmpty || !wasConnectedAtTheEnd.withLock({ $0 }) { return breaches }
                return [Breach(.cancelsBeforeEnding, "upstream was cancelled only after the end was told")]
            },
            askCount: { upstreams.reduce(0) { $0 + $1.askCount } },
            completionWasHeard: {
                let isConnected = upstreams.contains(where: \.isConnected)
                let isEarly = isConnected || upstreams.contains { $0.cancelCount > 0 }
                wasConnectedAtTheEnd.withLock { $0 = isConnected }
                hasEndedEarly.withLock { $0 = isEarly }
            },
            hasEndedEarly: { hasEndedEarly.withLock { $0 } },
            hasReleasedUpstream: { upstreams.allSatisfy(\.areSubscriptionsReleased) })
    }
}

extension TestPublisher {
    /// Looks, at the end of a run, at what the operator behind this upstream has done about cancelling it.
    ///
    /// - Parameters:
    ///   - hasEnded: Whether the operator has ended the stream.
    ///   - isCancelled: Whether its subscriber has cancelled.
    ///   - capabilities: What the operator is able to do.
    func judgeCancellation(hasEnded: Bool, isCancelled: Bool, _ capabilities: Capabilities) -> [Breach] {
        var breaches: [Breach] = []
        if cancelCount > subscriptionCount, !capabilities.contains(.transparent) {
            breaches.append(Breach(.cancelReachesUpstream, "upstream was cancelled \(cancelCount) times"))
        }
        if isConnected || wasAbandoned {
            if hasEnded {
                breaches.append(Breach(.cancelsBeforeEnding, "the stream has ended and upstream was not cancelled"))
            } else if isCancelled {
                breaches.append(Breach(.cancelReachesUpstream, "cancel() did not get to upstream"))
            }
        }
        return breaches
    }
}

/// What sends the values of one upstream, from one thread at a time.
final class Sender<Value, Failure: Error> {
    let upstream = TestPublisher<Value, Failure>()
    private(set) var values: ArraySlice<Value>

    init(values: [Value]) { self.values = values[...] }

    /// - Returns: Whether there was a value, and anybody wanted it.
    func sendNext() -> Bool {
        guard let value = values.first, upstream.send(value) else { return false }
        values.removeFirst()
        return true
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
