import HeadgateCombine
import HeadgateEngine
import HeadgateCore
import HeadgateTesting

/// A subscriber under test, its publisher, and the events between them.
private struct SubscriberFixture<S: Subscriber> {
    let subscriber: S
    let source: TestPublisher<S.Input, S.Failure>
    let record = SubscriberRecord<S.Input, S.Failure>()

    init(_ subscriber: S, _ source: TestPublisher<S.Input, S.Failure>) {
        self.subscriber = subscriber
        self.source = source
    }

    func subscribe() { source.subscribe(record.recording(subscriber)) }

    /// Cancels, or ends the stream if the subscriber can't be cancelled.
    ///
    /// - Returns: Whether it can.
    func cancel() -> Bool {
        let cancellable = subscriber as? any Cancellable
        if let cancellable { cancellable.cancel() } else { source.finish() }
        return cancellable != nil
    }

    func broken(_ rule: Rule, _ finding: String, script: String) -> Finding {
        .broken(rule, finding, script: script, timeLine: record.timeLine)
    }

    /// Checks how often the publisher was cancelled.
    func checkCancellations(_ expected: ClosedRange<Int>, script: String) -> Finding? {
        if expected.contains(source.cancelCount) { return nil }
        return broken(
            .cancelReachesUpstream, "the publisher was cancelled \(source.cancelCount) times", script: script)
    }

    /// Sends another subscription, and checks that it is cancelled.
    func checkSurplus(script: String) -> Finding? {
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
    func checkRelease(script: String) -> Finding? {
        withExtendedLifetime(subscriber) {
            source.areSubscriptionsReleased
                ? nil : broken(.releasesReferences, "the subscription is retained", script: script)
        }
    }
}

extension SubscriberVerifier {
    private func makeFixture(
        _ source: TestPublisher<S.Input, S.Failure> = TestPublisher()
    ) -> SubscriberFixture<S> {
        let fixture = SubscriberFixture(make(), source)
        fixture.subscribe()
        return fixture
    }

    func probeSecondSubscription() -> Finding? {
        let fixture = makeFixture()
        let script = "two subscriptions"
        if let finding = fixture.checkSurplus(script: script) { return finding }
        let wasCancelled = fixture.source.cancelCount > 0
        fixture.source.finish()
        return wasCancelled ? fixture.broken(.secondSubscription, "the first was cancelled", script: script) : nil
    }

    func probeLateSubscription() -> Finding? {
        let fixture = makeFixture(TestPublisher(keepsSubscribers: true))
        fixture.source.finish()
        return fixture.checkSurplus(script: "finish; a second subscription")
    }

    func probeRelease(at end: Subscribers.Completion<S.Failure>, script: String) -> Finding? {
        let fixture = makeFixture()
        for value in values { fixture.source.send(value) }
        fixture.source.send(completion: end)
        return fixture.checkRelease(script: script)
    }

    func probeCancel() -> Finding? {
        let fixture = makeFixture()
        guard fixture.cancel() else { return nil }
        return fixture.checkCancellations(1...1, script: "cancel") ?? fixture.checkRelease(script: "cancel")
    }

    func probeSecondCancel() -> Finding? {
        let fixture = makeFixture()
        guard fixture.cancel(), fixture.cancel() else { return nil }
        return fixture.checkCancellations(0...1, script: "cancel; cancel")
    }

    /// A subscription that arrives after `cancel()` must be cancelled.
    func probeEarlyCancel() -> Finding? {
        let fixture = makeFixture(TestPublisher(sendsSubscription: false))
        guard fixture.cancel() else { return nil }
        fixture.source.sendSubscription()
        return fixture.checkCancellations(1...1, script: "cancel; the subscription")
    }

    /// A publisher may serve the first request immediately, and the subscriber may cancel inside that delivery.
    func probeCancelInside() -> Finding? {
        let fixture = SubscriberFixture(make(), TestPublisher(serving: values, ending: nil))
        guard fixture.subscriber is any Cancellable else { return nil }
        let hasCancelled = Guarded(false)
        fixture.record.onValue = {
            if !hasCancelled.withLock({ exchange(&$0, with: true) }) { _ = fixture.cancel() }
        }
        fixture.subscribe()
        fixture.record.onValue = {}
        if !hasCancelled.withLock({ $0 }) {
            _ = fixture.cancel()
            return nil
        }
        return fixture.checkCancellations(1...1, script: "requests are served immediately; at the first value: cancel")
    }

    /// A subscriber may cancel from inside the completion, but must not cancel twice.
    func probeCancelAtEnd() -> Finding? {
        let fixture = makeFixture()
        fixture.source.finish()
        return fixture.checkCancellations(0...1, script: "finish")
    }

    func probeLateEventsAfterEnd() -> Finding? {
        let fixture = makeFixture(TestPublisher(keepsSubscribers: true))
        fixture.source.finish()
        return checkLateEvents(fixture, script: "finish; values; finish")
    }

    func probeLateEventsAfterCancel() -> Finding? {
        let fixture = makeFixture(TestPublisher(keepsSubscribers: true))
        guard fixture.cancel() else { return nil }
        return checkLateEvents(fixture, script: "cancel; values; finish")
    }

    /// Late events must not cause requests.
    private func checkLateEvents(_ fixture: SubscriberFixture<S>, script: String) -> Finding? {
        let before = fixture.source.calls.count
        for value in values { fixture.source.force(value) }
        fixture.source.force(completion: .finished)
        let calls = fixture.source.calls.dropFirst(before)
        if calls.isEmpty { return nil }
        return fixture.broken(.ignoresLateEvents, "it responds to late events", script: script)
    }

    /// The number of accepted values must not depend on whether a publisher serves the first request before that
    /// returns.
    func probeAnswersAtOnce() -> Finding? {
        let later = makeFixture()
        let count = values.prefix { later.source.send($0) }.count
        later.source.finish()
        let atOnce = makeFixture(TestPublisher(serving: values, ending: nil))
        let countAtOnce = atOnce.record.valueCount
        atOnce.source.finish()
        if countAtOnce >= count { return nil }
        return atOnce.broken(
            .demandAddsUp, "it takes \(countAtOnce) values, and \(count) of a publisher that serves requests later",
            script: "requests are served immediately")
    }

    func probeLockInRequest() -> Finding? {
        let hasDelivered = Guarded(false)
        let isStuck = Guarded(false)
        let source = TestPublisher<S.Input, S.Failure> { source, demand in
            if demand == .none || hasDelivered.withLock({ exchange(&$0, with: true) }) { return }
            if !deliverElsewhere(source) { isStuck.withLock { $0 = true } }
        }
        let fixture = makeFixture(source)
        source.finish()
        if !isStuck.withLock({ $0 }) { return nil }
        return fixture.broken(
            .noLockHeld, "it calls request(_:) under a lock that a delivery has to wait for",
            script: "requests are served immediately, on another thread")
    }

    func probeLockInCancel() -> Finding? {
        let fixture = makeFixture()
        let isStuck = Guarded(false)
        fixture.source.actionInCancel.arrange { [source = fixture.source] in
            if source.outstanding > .none, !deliverElsewhere(source) { isStuck.withLock { $0 = true } }
        }
        _ = fixture.cancel()
        // If it was not reached, it would retain the source.
        fixture.source.actionInCancel.forget()
        if !isStuck.withLock({ $0 }) { return nil }
        return fixture.broken(
            .noLockHeld, "it calls cancel() under a lock that a delivery has to wait for",
            script: "cancel; meanwhile a value on another thread")
    }

    /// Delivers a value on another thread, and returns whether that finished while the caller waited.
    private func deliverElsewhere(_ source: TestPublisher<S.Input, S.Failure>) -> Bool {
        guard let first = values.first else { return true }
        return runSideBySide([{ source.send(first) }], timeout: timeout)
    }
}
