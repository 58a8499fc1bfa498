import HeadgateCore

/// Tries a subscriber with publishers that are driven by hand, and tells rule by rule what it found.
///
/// ```swift
/// verify(subscriber: Subscribers.Sink<Int, VerificationFailure>(receiveCompletion: { _ in }, receiveValue: { _ in }))
///     .check { XCTFail($0, file: $1, line: $2) }
/// ```
///
/// - Parameters:
///   - subscriber: Makes the subscriber. It should be an object, so that its release can be followed.
///   - values: What it is given.
///   - failure: How the stream fails; `nil` where it can't.
///   - effort: How hard to look, of which the patience counts.
public func verify<S: Subscriber>(
    subscriber: @escaping @autoclosure () -> S, values: [S.Input], failure: S.Failure? = nil, effort: Effort = .normal
) -> Verification {
    effort.check()
    return SubscriberVerifier(make: subscriber, values: values, failure: failure, patience: effort.patience).verify()
}

/// Tries a subscriber of numbers with publishers that are driven by hand, and tells rule by rule what it found.
///
/// - Parameters:
///   - subscriber: Makes the subscriber.
///   - effort: How hard to look, of which the patience counts.
public func verify<S: Subscriber>(
    subscriber: @escaping @autoclosure () -> S, effort: Effort = .normal
) -> Verification where S.Input == Int, S.Failure == VerificationFailure {
    verify(subscriber: subscriber(), values: Array(1...5), failure: .upstreamFailed, effort: effort)
}

/// Puts together what is found out about a subscriber.
struct SubscriberVerifier<S: Subscriber> {
    let make: () -> S
    let values: [S.Input]
    let failure: S.Failure?
    let patience: Int

    func verify() -> Verification {
        var verification = Verification(subject: "subscriber", verdicts: [:], scriptCount: 0)
        let probes: [() -> Finding?] = [
            probeSecondSubscription, probeLateSubscription, probeReleaseAtEnd, probeReleaseAtFailure, probeCancel,
            probeSecondCancel, probeEarlyCancel, probeCancelInside, probeCancelAtEnd, probeLateEventsBehindEnd,
            probeLateEventsBehindCancel, probeAnswersAtOnce, probeLockInRequest, probeLockInCancel,
        ]
        for probe in probes {
            verification.scriptCount += 1
            if let finding = probe() { verification.take(finding) }
        }
        if !(make() is any Cancellable) {
            verification.verdicts[.cancelReachesUpstream] = .notCheckable("the subscriber can't be cancelled")
        }
        verification.fillIn(held: [
            .demandAddsUp, .noLockHeld, .cancelReachesUpstream, .letsGo, .secondSubscription, .ignoresWhatComesLate,
        ])
        verification.verdicts[.lateRequestsDoNothing] = .notApplicable("it binds publishers")
        return verification
    }
}
