import HeadgateCore
import HeadgateTesting

/// A subscriber under test, its publisher, and the events between them.
private final class SubscriberFixture<S: Subscriber>: @unchecked Sendable {
    // State that several threads reach is guarded by the lock; the closure is set before anything happens.

    private struct State {
        var drawing = TimeLineBuilder(column: nil, rows: Set(TimeLine.Row.allCases))
        var valueCount = 0
    }

    let subscriber: S
    let source: TestPublisher<S.Input, S.Failure>

    /// What is done with both, in words.
    let script: String

    /// Called when the subscriber has received a value, inside its delivery.
    var onValue: () -> Void = {}

    private let state = Guarded(State())

    init(_ subscriber: S, _ source: TestPublisher<S.Input, S.Failure>, script: String) {
        self.subscriber = subscriber
        self.source = source
        self.script = script
    }

    /// The number of values delivered.
    var valueCount: Int { state.withLock { $0.valueCount } }

    /// Connects both, and draws everything that passes between them.
    func subscribe() {
        let recorder = ReportingSubscriber(AnySubscriber(subscriber), keepsEverything: true) { [weak self] event in
            // Drawn when it has returned: after what a probe delivers meanwhile.
            if case .cancel = event { return }
            if case .answer = event { self?.onValue() }
            self?.note(event)
        } onCancelReturned: { [weak self] in
            self?.note(.cancel)
        }
        source.subscribe(recorder)
    }

    private func note(_ event: StreamEvent<S.Input, S.Failure>) {
        state.withLock { state in
            if case .value = event { state.valueCount += 1 }
            if state.drawing.line.length < 400 { state.drawing.note(event, at: .zero) }
        }
    }

    /// Cancels, or ends the stream if the subscriber can't be cancelled.
    ///
    /// - Returns: Whether it can.
    func cancel() -> Bool {
        let cancellable = subscriber as? any Cancellable
        if let cancellable { cancellable.cancel() } else { source.finish() }
        return cancellable != nil
    }

    func broken(_ rule: Rule, _ finding: String) -> Finding {
        .broken(rule, finding, script: script, timeLine: state.withLock { $0.drawing.line })
    }

    /// Checks how often the publisher was cancelled.
    func checkCancellations(_ expected: ClosedRange<Int>) -> Finding? {
        if expected.contains(source.cancelCount) { return nil }
        return broken(.cancelReachesUpstream, "the publisher was cancelled \(source.cancelCount) times")
    }

    /// Sends another subscription, and checks that it is cancelled.
    func checkSurplus() -> Finding? {
        for second in source.sendSubscription() {
            if second.cancelCount != 1 {
                return broken(.secondSubscription, "the second was cancelled \(second.cancelCount) times")
            }
            if second.requested > .none {
                return broken(.secondSubscription, "values were requested from the second")
            }
        }
        return nil
    }

    /// Checks that the publisher's subscription was released while the subscriber is alive.
    func checkRelease() -> Finding? {
        withExtendedLifetime(subscriber) {
            source.areSubscriptionsReleased ? nil : broken(.releasesReferences, "the subscription is retained")
        }
    }
}

extension SubscriberVerifier {
    private func makeFixture(
        _ script: String, _ source: TestPublisher<S.Input, S.Failure> = TestPublisher()
    ) -> SubscriberFixture<S> {
        let fixture = SubscriberFixture(make(), source, script: script)
        fixture.subscribe()
        return fixture
    }

    func probeSecondSubscription() -> Finding? {
        let fixture = makeFixture("two subscriptions")
        if let finding = fixture.checkSurplus() { return finding }
        let wasCancelled = fixture.source.cancelCount > 0
        fixture.source.finish()
        return wasCancelled ? fixture.broken(.secondSubscription, "the first was cancelled") : nil
    }

    func probeLateSubscription() -> Finding? {
        let fixture = makeFixture("finish; a second subscription", TestPublisher(keepsSubscribers: true))
        fixture.source.finish()
        return fixture.checkSurplus()
    }

    func probeRelease(at end: Subscribers.Completion<S.Failure>, script: String) -> Finding? {
        let fixture = makeFixture(script)
        for value in values { fixture.source.send(value) }
        fixture.source.send(completion: end)
        return fixture.checkRelease()
    }

    func probeCancel() -> Finding? {
        let fixture = makeFixture("cancel")
        guard fixture.cancel() else { return nil }
        return fixture.checkCancellations(1...1) ?? fixture.checkRelease()
    }

    func probeSecondCancel() -> Finding? {
        let fixture = makeFixture("cancel; cancel")
        guard fixture.cancel(), fixture.cancel() else { return nil }
        return fixture.checkCancellations(0...1)
    }

    /// A subscription that arrives after `cancel()` must be cancelled.
    func probeEarlyCancel() -> Finding? {
        let fixture = makeFixture("cancel; the subscription", TestPublisher(sendsSubscription: false))
        guard fixture.cancel() else { return nil }
        fixture.source.sendSubscription()
        return fixture.checkCancellations(1...1)
    }

    /// A publisher may serve the first request immediately, and the subscriber may cancel inside that delivery.
    func probeCancelInside() -> Finding? {
        let fixture = SubscriberFixture(
            make(), TestPublisher(serving: values, ending: nil),
            script: "requests are served immediately; at the first value: cancel")
        guard fixture.subscriber is any Cancellable else { return nil }
        let hasCancelled = Guarded(false)
        fixture.onValue = {
            if !hasCancelled.withLock({ exchange(&$0, with: true) }) { _ = fixture.cancel() }
        }
        fixture.subscribe()
        fixture.onValue = {}
        if !hasCancelled.withLock({ $0 }) {
            _ = fixture.cancel()
            return nil
        }
        return fixture.checkCancellations(1...1)
    }

    /// A subscriber may cancel from inside the completion, but must not cancel twice.
    func probeCancelAtEnd() -> Finding? {
        let fixture = makeFixture("finish")
        fixture.source.finish()
        return fixture.checkCancellations(0...1)
    }

    /// Late events must not cause requests.
    func probeLateEvents(afterCancel: Bool) -> Finding? {
        let fixture = makeFixture(
            "\(afterCancel ? "cancel" : "finish"); values; finish", TestPublisher(keepsSubscribers: true))
        if !afterCancel { fixture.source.finish() } else if !fixture.cancel() { return nil }
        let before = fixture.source.calls.count
        for value in values { fixture.source.force(value) }
        fixture.source.force(completion: .finished)
        if fixture.source.calls.count == before { return nil }
        return fixture.broken(.ignoresLateEvents, "it responds to late events")
    }

    /// The number of accepted values must not depend on whether a publisher serves the first request before that
    /// returns.
    func probeAnswersAtOnce() -> Finding? {
        let later = makeFixture("requests are served later")
        let count = values.prefix { later.source.send($0) }.count
        later.source.finish()
        let atOnce = makeFixture("requests are served immediately", TestPublisher(serving: values, ending: nil))
        let countAtOnce = atOnce.valueCount
        atOnce.source.finish()
        if countAtOnce >= count { return nil }
        return atOnce.broken(
            .demandAddsUp, "it takes \(countAtOnce) values, and \(count) of a publisher that serves requests later")
    }

    func probeLockInRequest() -> Finding? {
        let hasDelivered = Guarded(false)
        let isStuck = Guarded(false)
        let source = TestPublisher<S.Input, S.Failure> { source, demand in
            if demand == .none || hasDelivered.withLock({ exchange(&$0, with: true) }) { return }
            if !deliverElsewhere(source) { isStuck.withLock { $0 = true } }
        }
        let fixture = makeFixture("requests are served immediately, on another thread", source)
        source.finish()
        if !isStuck.withLock({ $0 }) { return nil }
        return fixture.broken(.noLockHeld, "it calls request(_:) under a lock that a delivery has to wait for")
    }

    func probeLockInCancel() -> Finding? {
        let fixture = makeFixture("cancel; meanwhile a value on another thread")
        let isStuck = Guarded(false)
        fixture.source.actionInCancel.arrange { [source = fixture.source] in
            if source.outstanding > .none, !deliverElsewhere(source) { isStuck.withLock { $0 = true } }
        }
        _ = fixture.cancel()
        // If it was not reached, it would retain the source.
        fixture.source.actionInCancel.forget()
        if !isStuck.withLock({ $0 }) { return nil }
        return fixture.broken(.noLockHeld, "it calls cancel() under a lock that a delivery has to wait for")
    }

    /// Delivers a value on another thread, and returns whether that finished while the caller waited.
    private func deliverElsewhere(_ source: TestPublisher<S.Input, S.Failure>) -> Bool {
        guard let first = values.first else { return true }
        return runSideBySide([{ source.send(first) }], timeout: timeout)
    }
}
