import HeadgateCore
import HeadgateTesting

/// Stresses an operator with several threads, and reports the result rule by rule.
///
/// In every other round, upstream serves demand by itself; in the others a thread drives it. Two threads request,
/// another may cancel, and one advances the scheduler. See ``stress(publisher:_:effort:settle:)``.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
/// import HeadgateVerification
///
/// stress(operator: { upstream, _ in upstream.filter { $0.isMultiple(of: 2) } }, .transparent)
///     .check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - operation: Applies the operator to an upstream, whose values are 1, 2, 3 and so on.
///   - capabilities: What the operator can do.
///   - effort: How much work to do.
///   - settle: Waits until the operator has finished work on threads of its own, as far as that can be known; values
///     still missing when it returns are waited for.
public func stress<P: Publisher>(
    operator operation: @escaping (TestPublisher<Int, VerificationFailure>, TestScheduler) -> P,
    _ capabilities: Capabilities = [], effort: StressEffort = .normal, settle: (() -> Void)? = nil
) -> Verification {
    stress(joining: 1, { operation($0[0], $1) }, capabilities, effort: effort, settle: settle)
}

/// Stresses an operator with several threads, and reports the result rule by rule.
///
/// - Parameters:
///   - operation: Applies the operator to an upstream, whose values are 1, 2, 3 and so on.
///   - capabilities: What the operator can do.
///   - effort: How much work to do.
public func stress<P: Publisher>(
    operator operation: @escaping (TestPublisher<Int, VerificationFailure>) -> P, _ capabilities: Capabilities = [],
    effort: StressEffort = .normal
) -> Verification {
    stress(joining: 1, { upstreams, _ in operation(upstreams[0]) }, capabilities, effort: effort)
}

/// Stresses an operator with several upstreams, each driven by a thread of its own in every other round.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
/// import HeadgateVerification
///
/// stress(joining: 2) { upstreams, _ in upstreams[0].zip(upstreams[1]) }.check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - count: The number of upstreams: at least one. The values of the first are 1, 2, 3 and so on, those of the second
///     1001, 1002 and so on.
///   - operation: Applies the operator to the upstreams.
///   - capabilities: What the operator can do.
///   - effort: How much work to do.
///   - settle: Waits until the operator has finished work on threads of its own, as far as that can be known; values
///     still missing when it returns are waited for.
public func stress<P: Publisher>(
    joining count: Int, _ operation: @escaping ([TestPublisher<Int, VerificationFailure>], TestScheduler) -> P,
    _ capabilities: Capabilities = [], effort: StressEffort = .normal, settle: (() -> Void)? = nil
) -> Verification {
    let stressed = StressedOperator(
        operation: operation, upstreamCount: count, capabilities: capabilities, effort: effort, settle: settle ?? {})
    let runner = StressRunner(
        capabilities: capabilities, effort: effort, isAsynchronous: settle != nil,
        makeFixture: stressed.makeFixture)
    return runner.verify("operator", and: [.cancelReachesUpstream, .cancelsBeforeEnding])
}

/// An operator with upstreams that threads drive.
private struct StressedOperator<P: Publisher> {
    typealias Upstream = TestPublisher<Int, VerificationFailure>

    let operation: ([Upstream], TestScheduler) -> P
    let upstreamCount: Int
    let capabilities: Capabilities
    let effort: StressEffort
    let settle: () -> Void

    func makeFixture(_ plan: StressPlan) -> StressFixture<P.Output, P.Failure> {
        plan.seed.isMultiple(of: 2) ? serving(plan) : driven(plan)
    }

    private var values: [[Int]] { valuesOfUpstreams(upstreamCount, each: effort.values) }

    private func serving(_ plan: StressPlan) -> StressFixture<P.Output, P.Failure> {
        fixture(values.map { Upstream(serving: $0, ending: plan.completion) }, plan)
    }

    private func driven(_ plan: StressPlan) -> StressFixture<P.Output, P.Failure> {
        let senders = values.map { Sender<Int, VerificationFailure>(values: $0) }
        var fixture = fixture(senders.map(\.upstream), plan)
        fixture.isDriven = true
        fixture.threads += senders.enumerated().map { number, sender in
            { sender.sendWhileRequested(plan.yielder(4 + number)) }
        }
        fixture.finishUp = { [settle = fixture.settle] in
            // After one upstream has ended, the operator may continue with the next.
            for _ in senders {
                // Upstreams take turns, because an operator may need a value of each.
                while !senders.filter({ $0.sendNext() }).isEmpty { settle() }
                for sender in senders { sender.upstream.send(completion: plan.completion) }
                settle()
            }
        }
        return fixture
    }

    private func fixture(_ upstreams: [Upstream], _ plan: StressPlan) -> StressFixture<P.Output, P.Failure> {
        let scheduler = TestScheduler()
        let chain = operation(upstreams, scheduler)
        return StressFixture(
            attach: { chain.subscribe($0) },
            threads: [plan.turning(scheduler, effort.values)],
            settle: {
                settle()
                scheduler.runUntilIdle(limit: 10 * effort.values)
                settle()
            },
            inspect: { listener in
                upstreams.flatMap {
                    $0.checkCancellation(
                        hasEnded: listener.ending != nil, isCancelled: listener.isCancelled, capabilities)
                }
            })
    }
}

extension Sender {
    /// Sends until all values are sent, or there has been no demand for a while.
    fileprivate func sendWhileRequested(_ yielder: ThreadYielder) {
        var refusals = 0
        while !values.isEmpty, refusals < 20 {
            yielder.pause()
            refusals = sendNext() ? 0 : refusals + 1
        }
    }
}
