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
public func verify<S: Subscriber>(
    subscriber: @autoclosure () -> S, values: [S.Input], failure: S.Failure? = nil
) -> Verification {
    withoutActuallyEscaping(subscriber) { make in
        SubscriberVerifier(make: make, values: values, failure: failure).verify()
    }
}

/// Tries a subscriber of numbers with publishers that are driven by hand, and tells rule by rule what it found.
///
/// - Parameter subscriber: Makes the subscriber.
public func verify<S: Subscriber>(
    subscriber: @autoclosure () -> S
) -> Verification where S.Input == Int, S.Failure == VerificationFailure {
    verify(subscriber: subscriber(), values: Array(1...5), failure: .upstreamFailed)
}

/// Puts together what is found out about a subscriber.
struct SubscriberVerifier<S: Subscriber> {
    let make: () -> S
    let values: [S.Input]
    let failure: S.Failure?

    func verify() -> Verification {
        var verification = Verification(subject: "subscriber", verdicts: [:], scriptCount: 0)
        let findings = [
            probeSecondSubscription(), probeRelease(at: .finished), failure.flatMap { probeRelease(at: .failure($0)) },
            probeReleaseAtCancel(), probeSecondCancel(), probeLateEvents(), probeAnswersAfterTheEnd(),
        ]
        for finding in findings {
            verification.scriptCount += 1
            if let finding { verification.take(finding) }
        }
        if !(make() is any Cancellable) {
            verification.verdicts[.cancelReachesUpstream] = .notCheckable("the subscriber can't be cancelled")
        }
        verification.fillIn(held: [.secondSubscription, .letsGo, .cancelReachesUpstream, .ignoresWhatComesLate])
        verification.verdicts[.lateRequestsDoNothing] =
            verification.verdicts[.lateRequestsDoNothing] ?? .notApplicable("it binds publishers")
        return verification
    }

    private func broken(_ rule: Rule, _ finding: String, script: String) -> Finding {
        .broken(rule, finding, script: script, outcome: Outcome())
    }

    private func probeSecondSubscription() -> Finding? {
        let publisher = TestPublisher<S.Input, S.Failure>()
        let subscriber = make()
        publisher.subscribe(subscriber)
        let script = "two subscriptions"
        for second in publisher.sendSubscription() {
            if second.cancelCount != 1 {
                return broken(
                    .secondSubscription, "the second was cancelled \(second.cancelCount) times", script: script)
            }
            if second.requested > .none {
                return broken(.secondSubscription, "the second was asked for values", script: script)
            }
        }
        if publisher.cancelCount > 0 {
            return broken(.secondSubscription, "the first was cancelled", script: script)
        }
        publisher.finish()
        return nil
    }

    private func probeRelease(at end: Subscribers.Completion<S.Failure>) -> Finding? {
        let publisher = TestPublisher<S.Input, S.Failure>()
        let subscriber = make()
        publisher.subscribe(subscriber)
        for value in values { publisher.send(value) }
        publisher.send(completion: end)
        if publisher.areSubscriptionsReleased { return nil }
        return broken(.letsGo, "the subscription is kept after the end", script: "values; \(end)")
    }

    private func probeReleaseAtCancel() -> Finding? {
        let publisher = TestPublisher<S.Input, S.Failure>()
        let subscriber = make()
        publisher.subscribe(subscriber)
        guard let cancellable = subscriber as? any Cancellable else { return nil }
        cancellable.cancel()
        if publisher.cancelCount == 0 {
            return broken(.cancelReachesUpstream, "the publisher was not told", script: "cancel")
        }
        if publisher.areSubscriptionsReleased { return nil }
        return broken(.letsGo, "the subscription is kept after cancel()", script: "cancel")
    }

    private func probeSecondCancel() -> Finding? {
        let publisher = TestPublisher<S.Input, S.Failure>()
        let subscriber = make()
        publisher.subscribe(subscriber)
        guard let cancellable = subscriber as? any Cancellable else { return nil }
        cancellable.cancel()
        cancellable.cancel()
        if publisher.cancelCount <= 1 { return nil }
        return broken(
            .cancelReachesUpstream, "the publisher was told \(publisher.cancelCount) times", script: "cancel; cancel")
    }

    /// What comes after the end must not make it ask.
    private func probeLateEvents() -> Finding? {
        let publisher = TestPublisher<S.Input, S.Failure>(keepsSubscribers: true)
        let subscriber = make()
        publisher.subscribe(subscriber)
        publisher.finish()
        let before = publisher.calls.count
        for value in values { publisher.force(value) }
        publisher.force(completion: .finished)
        if publisher.calls.count == before { return nil }
        return broken(
            .ignoresWhatComesLate, "it answers what comes after the end: \(publisher.calls.dropFirst(before))",
            script: "finish; values; finish")
    }

    /// A subscriber that calls back from inside the completion is not wrong, but must not cancel twice.
    private func probeAnswersAfterTheEnd() -> Finding? {
        let publisher = TestPublisher<S.Input, S.Failure>()
        let subscriber = make()
        publisher.subscribe(subscriber)
        publisher.finish()
        if publisher.cancelCount <= 1 { return nil }
        return broken(.cancelReachesUpstream, "it cancels several times at the end", script: "finish")
    }
}
