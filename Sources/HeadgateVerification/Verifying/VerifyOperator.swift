import HeadgateCore
import HeadgateTesting

/// Verifies an operator on both its edges, and reports the result rule by rule.
///
/// The operator is applied to an upstream that the verifier drives, then to one that serves demand immediately, then to
/// one that misbehaves. What it does to the values is up to the operator; the verifier checks that the values do not
/// depend on demand, that none is delivered without demand, that `cancel()` reaches upstream, and that everything is
/// released.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
/// import HeadgateVerification
///
/// verify(operator: { $0.filter { $0.isMultiple(of: 2) } }, [.transparent, .endsWithUpstream])
///     .check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - operation: Applies the operator to an upstream, whose values are 1, 2, 3 and so on.
///   - capabilities: What the operator can do.
///   - effort: How much work to do.
public func verify<P: Publisher>(
    operator operation: @escaping (TestPublisher<Int, VerificationFailure>) -> P, _ capabilities: Capabilities = [],
    effort: Effort = .normal
) -> Verification {
    verify(operator: { upstream, _ in operation(upstream) }, capabilities, effort: effort)
}

/// Verifies an operator that uses a scheduler on both its edges, and reports the result rule by rule.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
/// import HeadgateVerification
///
/// verify(operator: { upstream, scheduler in upstream.delay(for: .seconds(1), scheduler: scheduler) })
///     .check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - operation: Applies the operator to an upstream; the verifier advances the scheduler after every step, and then
///     repeats the search with pending work.
///   - capabilities: What the operator can do.
///   - effort: How much work to do.
public func verify<P: Publisher>(
    operator operation: @escaping (TestPublisher<Int, VerificationFailure>, TestScheduler) -> P,
    _ capabilities: Capabilities = [], effort: Effort = .normal
) -> Verification {
    verify(
        operator: operation, upstream: Array(1...24), failure: .upstreamFailed, capabilities, effort: effort)
}

/// Verifies an operator for values and errors of any types on both its edges, and reports the result rule by rule.
///
/// - Parameters:
///   - operation: Applies the operator to an upstream.
///   - values: The values of the upstream.
///   - failure: The upstream's failure; `nil` if it can't fail.
///   - capabilities: What the operator can do.
///   - effort: How much work to do.
public func verify<Input, InputFailure: Error, P: Publisher>(
    operator operation: @escaping (TestPublisher<Input, InputFailure>, TestScheduler) -> P, upstream values: [Input],
    failure: InputFailure?, _ capabilities: Capabilities = [], effort: Effort = .normal
) -> Verification {
    OperatorVerifier(
        operation: { operation($0[0], $1) }, values: [values], failure: failure, capabilities: capabilities,
        effort: effort
    ).verify()
}

/// Verifies an operator with several upstreams on all its edges, and reports the result rule by rule.
///
/// Scripts include the order in which upstreams send, finish and fail.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
/// import HeadgateVerification
///
/// verify(joining: 2) { upstreams, _ in upstreams[0].zip(upstreams[1]) }.check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - count: The number of upstreams: at least one. The values of the first are 1, 2, 3 and so on, those of the second
///     1001, 1002 and so on.
///   - operation: Applies the operator to the upstreams.
///   - capabilities: What the operator can do.
///   - effort: How much work to do.
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
    require(
        count >= 1, rule: "An operator that joins upstreams has at least one.", found: "joining: \(count)",
        remedy: "Verify a publisher without upstreams with verify(publisher:) or stress(publisher:).")
    return (0..<count).map { upstream in (1...valueCount).map { 1000 * upstream + $0 } }
}

/// Verifies an operator.
struct OperatorVerifier<Input, InputFailure: Error, P: Publisher> {
    typealias Upstream = TestPublisher<Input, InputFailure>
    typealias Listener = ProbeSubscriber<P.Output, P.Failure>

    let operation: ([Upstream], TestScheduler) -> P

    /// The values of each upstream.
    let values: [[Input]]

    let failure: InputFailure?
    let capabilities: Capabilities
    let effort: Effort
    let progress = ScriptProgress()

    func verify() -> Verification {
        effort.check()
        var verification = Verification(subject: "operator")
        let byHand = makeRunner(drivenFixture)
        let threads = byHand.probeThreads() + probeLocks()
        verification.goOn(after: threads, timeout: 2 * effort.timeout, progress: progress) { verification in
            if capabilities.contains(.merges) { byHand.findSources() }
            verification.take(byHand.probeReference())
            verification.search(byHand, effort.divided(by: 2))
            verification.probe(byHand, threads: threads)
            if let finding = byHand.probeForgetting() { verification.take(finding) }
            verification.take(byHand.probeDemand() + byHand.probeAfterCancel() + probeSubscriptionOrder())
            let isLocked = threads.contains(where: \.isOfALockHeld)
            for ending in endings where verification.isComplete {
                verify(serving: ending, sources: byHand.references, isLocked: isLocked, &verification)
            }
            if !verification.isComplete { return }
            probeMisbehaviour(&verification)
            verification.abandonComparisons(of: byHand)
            verification.fill([.cancelReachesUpstream, .cancelsBeforeEnding], .held)
            verification.fillIn(forPublisherWith: capabilities)
        }
        return verification
    }

    private var endings: [Subscribers.Completion<InputFailure>] { [.finished] + (failure.map { [.failure($0)] } ?? []) }

    private func makeRunner(
        _ makeFixture: @escaping () -> Fixture<P.Output, P.Failure>
    ) -> ScriptRunner<P.Output, P.Failure> {
        ScriptRunner(
            capabilities: capabilities, isOperator: true, timeout: effort.timeout, progress: progress,
            makeFixture: makeFixture)
    }

    /// Verifies the operator with upstreams that serve demand by themselves.
    private func verify(
        serving ending: Subscribers.Completion<InputFailure>, sources: ReferenceCache, isLocked: Bool,
        _ verification: inout Verification
    ) {
        var runner = makeRunner { fixture(serving: ending) }
        runner.references = ReferenceCache(sourcesOf: sources)
        let threads = isLocked ? [] : runner.probeThreads()
        verification.goOn(after: threads, timeout: 2 * effort.timeout, progress: progress) { [runner] verification in
            verification.take(runner.probeReference() + probeEmptyUpstream(ending) + runner.probeDemand())
            if !runner.references.isUnfit, let full = runner.runFreely() {
                verification.checkEnding(of: full, capabilities.intersection(ending.expectation))
            }
            verification.search(runner, effort.divided(by: 2 * endings.count))
            verification.probe(runner, threads: threads)
            verification.abandonComparisons(of: runner)
        }
    }

    private func probeMisbehaviour(_ verification: inout Verification) {
        if capabilities.contains(.transparent) {
            verification.fill(
                [.secondSubscription, .ignoresLateEvents, .droppedSubscription],
                .notApplicable("a transparent operator leaves it to its downstream"))
        } else {
            verification.take(probeUpstreamsThatMisbehave())
        }
        if !verification.coverage.hasEndedEarly {
            verification.fill(
                [.cancelsBeforeEnding], .notApplicable("the stream never completed before upstream did"))
        }
    }

    /// The operator with upstreams that the verifier drives.
    func drivenFixture() -> Fixture<P.Output, P.Failure> {
        let senders = values.map { Sender<Input, InputFailure>(values: $0) }
        return fixture(senders.map(\.upstream)) { action in
            switch action {
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

    /// The operator with upstreams that serve demand by themselves.
    func fixture(
        serving ending: Subscribers.Completion<InputFailure>, limit: Int = .max
    ) -> Fixture<P.Output, P.Failure> {
        fixture(values.map { TestPublisher(serving: Array($0.prefix(limit)), ending: ending) }, source: nil)
    }

    /// Applies the operator to upstreams that complete immediately, without values.
    private func probeEmptyUpstream(_ ending: Subscribers.Completion<InputFailure>) -> [Finding] {
        var runner = makeRunner { fixture(serving: ending, limit: 0) }
        runner.preamble = "upstream completes immediately, without values; "
        let scripts: [[ScriptAction]] = [[], [.request(.max(1))], [.begin(.max(1))], [.beginCancelling(.none)]]
        return scripts.flatMap { actions in
            runner.findBreaches(in: runner.run(actions).outcome, script: actions.sentence)
        }
    }

    private func fixture(_ upstreams: [Upstream], source: ((ScriptAction) -> Bool)?) -> Fixture<P.Output, P.Failure> {
        let scheduler = TestScheduler()
        let chain = operation(upstreams, scheduler)
        let atTheEnd = Guarded((wasConnected: false, isEarly: false))
        let demandWatch = DemandWatch<P.Output, P.Failure>(isExact: !capabilities.contains(.asynchronous))
        for upstream in upstreams { upstream.observeDemand(demandWatch.note) }
        return Fixture(
            attach: { subscriber in
                demandWatch.subscriber = subscriber as? Listener
                chain.subscribe(subscriber)
            }, source: source, upstreamCount: upstreams.count, clock: scheduler,
            inspect: { hasEnded, isCancelled in
                let breaches =
                    demandWatch.breaches
                    + upstreams.flatMap {
                        $0.checkCancellation(hasEnded: hasEnded, isCancelled: isCancelled, capabilities)
                    }
                if !breaches.isEmpty || !atTheEnd.withLock({ $0.wasConnected }) { return breaches }
                return [Breach(.cancelsBeforeEnding, "upstream was cancelled only after the completion was delivered")]
            },
            requestCount: { upstreams.reduce(0) { $0 + $1.requestCount } },
            onCompletion: {
                let isConnected = upstreams.contains(where: \.isConnected)
                let isEarly = isConnected || upstreams.contains { $0.cancelCount > 0 }
                atTheEnd.withLock { $0 = (isConnected, isEarly) }
            },
            hasEndedEarly: { atTheEnd.withLock { $0.isEarly } },
            isOfUpstream: { $0 is TestSubscription<Input, InputFailure> },
            hasReleasedUpstream: { upstreams.allSatisfy(\.areSubscriptionsReleased) })
    }
}

extension TestPublisher {
    /// Checks, at the end of a run, that an operator has cancelled this upstream as it should.
    ///
    /// - Parameters:
    ///   - hasEnded: Whether the operator has ended the stream.
    ///   - isCancelled: Whether its subscriber has cancelled.
    ///   - capabilities: What the operator can do.
    func checkCancellation(hasEnded: Bool, isCancelled: Bool, _ capabilities: Capabilities) -> [Breach] {
        var breaches: [Breach] = []
        if cancelCount > subscriptionCount, !capabilities.contains(.transparent) {
            breaches.append(Breach(.cancelReachesUpstream, "upstream was cancelled \(cancelCount) times"))
        }
        if isConnected || wasAbandoned {
            if hasEnded {
                breaches.append(Breach(.cancelsBeforeEnding, "the stream has completed but upstream was not cancelled"))
            } else if isCancelled {
                breaches.append(Breach(.cancelReachesUpstream, "cancel() did not reach upstream"))
            }
        }
        return breaches
    }
}

extension Subscribers.Completion {
    /// What an operator that declares it has to do when its upstream completes like this.
    fileprivate var expectation: Capabilities {
        switch self {
        case .finished: .finite
        case .failure: [.finite, .fails]
        }
    }
}
