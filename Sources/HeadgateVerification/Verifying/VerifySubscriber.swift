import HeadgateCore
import HeadgateTesting

/// Verifies a subscriber with publishers that the verifier drives, and reports the result rule by rule.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
/// import HeadgateVerification
///
/// verify(subscriber: Subscribers.Sink<Int, VerificationFailure>(receiveCompletion: { _ in }, receiveValue: { _ in }))
///     .check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - subscriber: Creates the subscriber. It should be an object, so that its release can be observed.
///   - values: The values to deliver.
///   - failure: The failure of the stream; `nil` if it can't fail.
///   - effort: How much work to do; only its timeout matters.
public func verify<S: Subscriber>(
    subscriber: @escaping @autoclosure () -> S, values: [S.Input], failure: S.Failure? = nil, effort: Effort = .normal
) -> Verification {
    effort.check()
    return SubscriberVerifier(make: subscriber, values: values, failure: failure, timeout: effort.timeout).verify()
}

/// Verifies a subscriber of numbers with publishers that the verifier drives, and reports the result rule by rule.
///
/// - Parameters:
///   - subscriber: Creates the subscriber.
///   - effort: How much work to do; only its timeout matters.
public func verify<S: Subscriber<Int, VerificationFailure>>(
    subscriber: @escaping @autoclosure () -> S, effort: Effort = .normal
) -> Verification {
    verify(subscriber: subscriber(), values: Array(1...5), failure: .upstreamFailed, effort: effort)
}

/// Verifies a subscriber.
struct SubscriberVerifier<S: Subscriber> {
    let make: () -> S
    let values: [S.Input]
    let failure: S.Failure?
    let timeout: Int

    func verify() -> Verification {
        var verification = Verification(subject: "subscriber")
        let probes: [() -> Finding?] = [
            probeSecondSubscription,
            probeLateSubscription,
            { probeRelease(at: .finished, script: "values; finish") },
            { failure.flatMap { probeRelease(at: .failure($0), script: "values; fail") } },
            probeCancel, probeSecondCancel,
            probeEarlyCancel,
            probeCancelInside,
            probeCancelAtEnd,
            { probeLateEvents(afterCancel: false) },
            { probeLateEvents(afterCancel: true) },
            probeAnswersAtOnce,
            probeLockInRequest,
            probeLockInCancel,
        ]
        for probe in probes {
            verification.scriptCount += 1
            if let finding = probe() { verification.take(finding) }
        }
        if !(make() is any Cancellable) {
            verification.verdicts[.cancelReachesUpstream] = .notCheckable("the subscriber can't be cancelled")
        }
        verification.fill(
            [
                .demandAddsUp, .noLockHeld, .cancelReachesUpstream, .releasesReferences, .secondSubscription,
                .ignoresLateEvents,
            ], .held)
        verification.verdicts[.lateRequestsDoNothing] = .notApplicable("it concerns publishers")
        return verification
    }
}
