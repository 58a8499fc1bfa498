import HeadgateCore

/// Forwards everything in both directions, and notifies an observer beforehand.
///
/// After the end and after `cancel()`, the observer is notified of subscriptions, which are refused, of what is dropped,
/// and of nothing else unless it observes every call.
@usableFromInline package final class ObservingConduit<Observer: StreamObserver>: Subscriber {
    @usableFromInline package typealias Input = Observer.Value

    @usableFromInline package typealias Failure = Observer.Failure

    @usableFromInline package let observer: Observer

    @usableFromInline package let downstream: AnySubscriber<Input, Failure>

    @usableFromInline package let gate: Gate

    /// Whether the observer is notified of requests and `cancel()` after the end as well.
    @usableFromInline package let observesEveryCall: Bool

    // Not inlined: the frame of a caller that subscribes stays small.
    @inlinable @inline(never) package init(
        name: StaticString, _ observer: Observer, observesEveryCall: Bool = false,
        _ downstream: some Subscriber<Input, Failure>
    ) {
        self.observesEveryCall = observesEveryCall
        self.observer = observer
        self.downstream = AnySubscriber(downstream)
        gate = Gate(name: name.description, notify: observesEveryCall ? nil : observer.notify)
    }

    @inlinable package func receive(subscription: any Subscription) {
        if let accepted = accept(subscription) { downstream.receive(subscription: accepted) }
    }

    /// The subscription for downstream, or `nil` if this one is refused.
    // Not inlined: of a chain, the frame of `receive(subscription:)` is on the stack once per stage.
    @inlinable @inline(never) package func accept(_ subscription: any Subscription) -> ConduitSubscription? {
        observer.offered(subscription)
        if !gate.upstream.fill(with: subscription) { return nil }
        observer.subscribed()
        return observesEveryCall ? ObservedSubscription(gate, observer.notify) : gate
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        if gate.upstream.isClosed {
            observer.dropped(input)
            return .none
        }
        observer.received(input)
        let demand = downstream.receive(input)
        if demand > .none { observer.answered(demand) }
        return demand
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if !gate.upstream.close() { return observer.dropped(completion: completion) }
        observer.completed(completion)
        downstream.receive(completion: completion)
        observer.ended()
    }
}

/// The subscription of a stream whose observer is notified of every request and every `cancel()`, even after the end.
@usableFromInline package final class ObservedSubscription: ConduitSubscription {
    @usableFromInline package let gate: Gate

    @usableFromInline package let notify: ((Signal) -> Void)?

    @inlinable package init(_ gate: Gate, _ notify: ((Signal) -> Void)?) {
        self.gate = gate
        self.notify = notify
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: ObservedSubscription.self)
            conduit.notify?(signal)
            conduit.gate.handle(conduit.gate, signal)
        }
    }

    @usableFromInline package override var description: String { gate.description }

    @usableFromInline package override var traits: SubscriptionTraits { gate.traits }
}
