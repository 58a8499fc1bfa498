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
    let runner = StressRunner(capabilities: capabilities, effort: effort, isAsynchronous: settle != nil) {
        plan -> Fixture<P.Output, P.Failure> in
        let verifier = OperatorVerifier(
            operation: operation, values: valuesOfUpstreams(count, each: effort.values), failure: .upstreamFailed,
            capabilities: capabilities, effort: .normal)
        var fixture =
            plan.seed.isMultiple(of: 2) ? verifier.fixture(serving: plan.completion) : verifier.drivenFixture()
        fixture.workLimit = 10 * effort.values
        fixture.waitForThreads = settle ?? {}
        return fixture
    }
    return runner.verify("operator", and: [.cancelReachesUpstream, .cancelsBeforeEnding])
}
