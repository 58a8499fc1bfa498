import HeadgateCore

/// A subscriber that forwards everything and reports it.
package final class ReportingSubscriber<Input, Failure: Error>: Subscriber, @unchecked Sendable {
    // Deliveries exclude each other by contract; state that two threads may reach is guarded by the lock.

    private let downstream: Guarded<AnySubscriber<Input, Failure>?>
    private let subscription = Guarded(WeakSubscription())
    fileprivate let keepsEverything: Bool
    fileprivate let note: (StreamEvent<Input, Failure>) -> Void
    fileprivate let onCancelReturned: () -> Void

    /// What downstream retains, of which upstream's subscription is taken at the completion.
    private struct WeakSubscription {
        weak var target: ReportingSubscription<Input, Failure>?
    }

    /// - Parameters:
    ///   - keepsEverything: Whether it forwards to both sides even after the completion and after `cancel()`.
    ///   - note: Called with an event before it is forwarded; with an answer, after it was returned.
    ///   - onCancelReturned: Called when a forwarded cancellation has returned.
    package init(
        _ downstream: AnySubscriber<Input, Failure>, keepsEverything: Bool = false,
        note: @escaping (StreamEvent<Input, Failure>) -> Void, onCancelReturned: @escaping () -> Void = {}
    ) {
        // Both threads that may reach it take the lock.
        nonisolated(unsafe) let downstream = Optional(downstream)
        self.downstream = Guarded(downstream)
        self.keepsEverything = keepsEverything
        self.note = note
        self.onCancelReturned = onCancelReturned
    }

    package func receive(subscription: any Subscription) {
        note(.subscription("\(subscription)"))
        let target = downstream.withLock { $0 }
        let forwarding = ReportingSubscription(subscription, of: self)
        self.subscription.withLock { $0.target = $0.target ?? forwarding }
        target?.receive(subscription: forwarding)
    }

    package func receive(_ input: Input) -> Subscribers.Demand {
        note(.value(input))
        let answer = downstream.withLock { $0 }?.receive(input) ?? .none
        note(.answer(answer))
        return answer
    }

    package func receive(completion: Subscribers.Completion<Failure>) {
        note(.completion(completion))
        _ = subscription.withLock { $0.target }?.release()
        release()?.receive(completion: completion)
    }

    @discardableResult fileprivate func release() -> AnySubscriber<Input, Failure>? {
        downstream.withLock { keepsEverything ? $0 : $0.take() }
    }
}

/// The subscription that a reporting subscriber passes downstream.
private final class ReportingSubscription<Input, Failure: Error>: Subscription, CustomStringConvertible,
    @unchecked Sendable
{
    // The subscription is released at the first cancellation and at the completion, outside the lock.
    private let upstream: Guarded<(any Subscription)?>

    // Downstream may keep the subscription longer than the stream lasts.
    private weak let subscriber: ReportingSubscriber<Input, Failure>?
    private let keepsUpstream: Bool
    private let note: (StreamEvent<Input, Failure>) -> Void
    private let onCancelReturned: () -> Void
    let description: String

    init(_ upstream: any Subscription, of subscriber: ReportingSubscriber<Input, Failure>) {
        description = "\(upstream)"
        // A subscription may be called from any thread.
        nonisolated(unsafe) let upstream = Optional(upstream)
        self.upstream = Guarded(upstream)
        self.subscriber = subscriber
        keepsUpstream = subscriber.keepsEverything
        note = subscriber.note
        onCancelReturned = subscriber.onCancelReturned
    }

    func request(_ demand: Subscribers.Demand) {
        note(.request(demand))
        upstream.withLock { $0 }?.request(demand)
    }

    /// Returns upstream's subscription, which the caller releases outside the lock, unless it is kept.
    func release() -> (any Subscription)? { upstream.withLock { keepsUpstream ? $0 : $0.take() } }

    func cancel() {
        guard let old = release() else { return }
        note(.cancel)
        subscriber?.release()
        old.cancel()
        onCancelReturned()
    }
}
