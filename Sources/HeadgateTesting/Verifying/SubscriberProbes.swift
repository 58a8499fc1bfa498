import Headgate
import HeadgateEngine
import HeadgateCore

/// A subscriber under test, the publisher that it meets, and what was said between them.
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

    /// Looks how often the publisher was told to stop.
    func judgeCancellations(_ expected: ClosedRange<Int>, script: String) -> Finding? {
        if expected.contains(source.cancelCount) { return nil }
        return broken(
            .cancelReachesUpstream, "the publisher was cancelled \(source.cancelCount) times", script: script)
    }

    /// Hands out one subscription more, and looks what becomes of it.
    func judgeSurplus(script: String) -> Finding? {
        for second in source.sendSubscription() {
            if second.cancelCount != 1 {
                return broken(
                    .secondSubscription, "the second was cancelled \(second.cancelCount) times", script: script)
            }
            if second.requested > .none {
                return broken(.secondSubscription, "the second was asked for values", script: script)
            }
        }
        return nil
    }

    /// Looks whether the publisher's subscription was let go of, while the subscriber lives on.
    func judgeRelease(script: String) -> Finding? {
        withExtendedLifetime(subscriber) {
            source.areSubscriptionsReleased ? nil : broken(.letsGo, "the subscription is kept", script: script)
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

    /// Whoever has cancelled before the subscription comes does not want it any more.
    func probeEarlyCancel() -> Finding? {
        let meeting = meet(TestPublisher(sendsSubscription: false))
        guard meeting.cancel() else { return nil }
        meeting.source.sendSubscription()
        return meeting.judgeCancellations(1...1, script: "cancel; the subscription")
    }

    /// A publisher may answer the very first request at once, and the subscriber may have had enough there and then.
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
        return meeting.judgeCancellations(1...1, script: "requests are answered at once; at the first value: cancel")
    }

    /// A subscriber that calls back from inside the completion is not wrong, but must not cancel twice.
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

    /// What comes when all is over must not make it ask.
    private func judgeLateEvents(_ meeting: Meeting<S>, script: String) -> Finding? {
        let before = meeting.source.calls.count
        for value in values { meeting.source.force(value) }
        meeting.source.force(completion: .finished)
        let calls = meeting.source.calls.dropFirst(before)
        if calls.isEmpty { return nil }
        return meeting.broken(.ignoresWhatComesLate, "it answers what comes late", script: script)
    }

    /// What it takes must not depend on whether a publisher answers the first request before that returns.
    func probeAnswersAtOnce() -> Finding? {
        let later = meet()
        let count = values.prefix { later.source.send($0) }.count
        later.source.finish()
        let atOnce = meet(TestPublisher(serving: values, ending: nil))
        let countAtOnce = atOnce.witness.valueCount
        atOnce.source.finish()
        if countAtOnce >= count { return nil }
        return atOnce.broken(
            .demandAddsUp, "it takes \(countAtOnce) values, and \(count) of a publisher that answers later",
            script: "requests are answered at once")
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
            script: "requests are answered at once, on another thread")
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

    /// Delivers a value on another thread, and answers whether it got through while the caller waited.
    private func deliverElsewhere(_ source: TestPublisher<S.Input, S.Failure>) -> Bool {
        guard let first = values.first else { return true }
        return runSideBySide([{ source.send(first) }], patience: patience)
    }
}
