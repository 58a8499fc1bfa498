import Headgate
import HeadgateEngine
import HeadgateCore

/// A subscriber under test, its publisher, and the events between them.
private struct Meeting<S: Subscriber> {
    let subscriber: S
    let source: TestPublisher<S.Input, S.Failure>
    let witness: Witness<S.Input, S.Failure>

    init(_ subscriber: S, _ source: TestPublisher<S.Input, S.Failure>) {
        self.subscriber = subscriber
        self.source = source
        witness = Witness(subscriber)
    }

    /// Cancels, or ends the stream if the subscriber can't be cancelled.
    ///
    /// - Returns: Whether it can.
    func cancel() -> Bool {
        let cancellable = subscriber as? any Cancellable
        if let cancellable { cancellable.cancel() } else { source.finish() }
        return cancellable != nil
    }

    func broken(_ rule: Rule, _ finding: String, script: String) -> Finding {
        var outcome = Outcome()
        outcome.timeLine = witness.timeLine
        return .broken(rule, finding, script: script, outcome: outcome)
    }

    /// Checks how often the publisher was cancelled.
    func judgeCancellations(_ expected: ClosedRange<Int>, script: String) -> Finding? {
        if expected.contains(source.cancelCount) { return nil }
        return broken(
            .cancelReachesUpstream, "the publisher was cancelled \(source.cancelCount) times", script: script)
    }

    /// Sends another subscription, and checks that it is cancelled.
    func judgeSurplus(script: String) -> Finding? {
        for second in source.sendSubscription() {
            if second.cancelCount != 1 {
                return broken(
                    .secondSubscription, "the second was cancelled \(second.cancelCount) times", script: script)
            }
            if second.requested > .none {
                return broken(.secondSubscription, "values were requested from the second", script: script)
            }
        }
        return nil
    }

    /// Checks that the publisher's subscription was released while the subscriber is alive.
    func judgeRelease(script: String) -> Finding? {
        withExtendedLifetime(subscriber) {
            source.areSubscriptionsReleased ? nil : broken(.letsGo, "the subscription is retained", script: script)
        }
    }
}

extension SubscriberVerifier {
    private func meet(
        _ source: TestPublisher<S.Input, S.Failure> = TestPublisher()
    ) -> Meeting<S> {
        let meeting = Meeting(make(), source)
        source.subscribe(meeting.witness)
        return meeting
    }

    func probeSecondSubscription() -> Finding? {
        let meeting = meet()
        let script = "two subscriptions"
        if let finding = meeting.judgeSurplus(script: script) { return finding }
        let wasCancelled = meeting.source.cancelCount > 0
        meeting.source.finish()
        return wasCancelled ? meeting.broken(.secondSubscription, "the first was cancelled", script: script) : nil
    }

    func probeLateSubscription() -> Finding? {
        let meeting = meet(TestPublisher(keepsSubscribers: true))
        meeting.source.finish()
        return meeting.judgeSurplus(script: "finish; a second subscription")
    }

    func probeReleaseAtEnd() -> Finding? { probeRelease(at: .finished, script: "values; finish") }

    func probeReleaseAtFailure() -> Finding? {
        failure.flatMap { probeRelease(at: .failure($0), script: "values; fail") }
    }

    private func probeRelease(at end: Subscribers.Completion<S.Failure>, script: String) -> Finding? {
        let meeting = meet()
        for value in values { meeting.source.send(value) }
        meeting.source.send(completion: end)
        return meeting.judgeRelease(script: script)
    }

    func probeCancel() -> Finding? {
        let meeting = meet()
        guard meeting.cancel() else { return nil }
        return meeting.judgeCancellations(1...1, script: "cancel") ?? meeting.judgeRelease(script: "cancel")
    }

    func probeSecondCancel() -> Finding? {
        let meeting = meet()
        guard meeting.cancel(), meeting.cancel() else { return nil }
        return meeting.judgeCancellations(0...1, script: "cancel; cancel")
    }

    /// A subscription that arrives after `cancel()` must be cancelled.
    func probeEarlyCancel() -> Finding? {
        let meeting = meet(TestPublisher(sendsSubscription: false))
        guard meeting.cancel() else { return nil }
        meeting.source.sendSubscription()
        return meeting.judgeCancellations(1...1, script: "cancel; the subscription")
    }

    /// A publisher may serve the first request immediately, and the subscriber may cancel inside that delivery.
    func probeCancelInside() -> Finding? {
        let meeting = Meeting(make(), TestPublisher(serving: values, ending: nil))
        guard meeting.subscriber is any Cancellable else { return nil }
        let hasCancelled = Guarded(false)
        meeting.witness.onValue = {
            let isFirst = hasCancelled.withLock { hasCancelled in
                defer { hasCancelled = true }
                return !hasCancelled
            }
            if isFirst { _ = meeting.cancel() }
        }
        meeting.source.subscribe(meeting.witness)
        meeting.witness.onValue = {}
        if !hasCancelled.withLock({ $0 }) {
            _ = meeting.cancel()
            return nil
        }
        return meeting.judgeCancellations(1...1, script: "requests are served immediately; at the first value: cancel")
    }

    /// A subscriber may cancel from inside the completion, but must not cancel twice.
    func probeCancelAtEnd() -> Finding? {
        let meeting = meet()
        meeting.source.finish()
        return meeting.judgeCancellations(0...1, script: "finish")
    }

    func probeLateEventsBehindEnd() -> Finding? {
        let meeting = meet(TestPublisher(keepsSubscribers: true))
        meeting.source.finish()
        return judgeLateEvents(meeting, script: "finish; values; finish")
    }

    func probeLateEventsBehindCancel() -> Finding? {
        let meeting = meet(TestPublisher(keepsSubscribers: true))
        guard meeting.cancel() else { return nil }
        return judgeLateEvents(meeting, script: "cancel; values; finish")
    }

    /// Late events must not cause requests.
    private func judgeLateEvents(_ meeting: Meeting<S>, script: String) -> Finding? {
        let before = meeting.source.calls.count
        for value in values { meeting.source.force(value) }
        meeting.source.force(completion: .finished)
        let calls = meeting.source.calls.dropFirst(before)
        if calls.isEmpty { return nil }
        return meeting.broken(.ignoresWhatComesLate, "it responds to late events", script: script)
    }

    /// The number of accepted values must not depend on whether a publisher serves the first request before that
    /// returns.
    func probeAnswersAtOnce() -> Finding? {
        let later = meet()
        let count = values.prefix { later.source.send($0) }.count
        later.source.finish()
        let atOnce = meet(TestPublisher(serving: values, ending: nil))
        let countAtOnce = atOnce.witness.valueCount
        atOnce.source.finish()
        if countAtOnce >= count { return nil }
        return atOnce.broken(
            .demandAddsUp, "it takes \(countAtOnce) values, and \(count) of a publisher that serves requests later",
            script: "requests are served immediately")
    }

    func probeLockInRequest() -> Finding? {
        let meeting = Meeting(make(), TestPublisher())
        let isStuck = Guarded(false)
        meeting.witness.onRequest = { [source = meeting.source] in
            if source.requested == .none || meeting.witness.valueCount > 0 { return }
            if !deliverElsewhere(source) { isStuck.withLock { $0 = true } }
        }
        meeting.source.subscribe(meeting.witness)
        meeting.witness.onRequest = {}
        meeting.source.finish()
        if !isStuck.withLock({ $0 }) { return nil }
        return meeting.broken(
            .noLockHeld, "it calls request(_:) under a lock that a delivery has to wait for",
            script: "requests are served immediately, on another thread")
    }

    func probeLockInCancel() -> Finding? {
        let meeting = meet()
        let isStuck = Guarded(false)
        meeting.witness.onCancel = { [source = meeting.source] in
            if source.outstanding == .none { return }
            if !deliverElsewhere(source) { isStuck.withLock { $0 = true } }
        }
        _ = meeting.cancel()
        meeting.witness.onCancel = {}
        if !isStuck.withLock({ $0 }) { return nil }
        return meeting.broken(
            .noLockHeld, "it calls cancel() under a lock that a delivery has to wait for",
            script: "cancel; meanwhile a value on another thread")
    }

    /// Delivers a value on another thread, and returns whether that finished while the caller waited.
    private func deliverElsewhere(_ source: TestPublisher<S.Input, S.Failure>) -> Bool {
        guard let first = values.first else { return true }
        return runSideBySide([{ source.send(first) }], patience: patience)
    }
}
