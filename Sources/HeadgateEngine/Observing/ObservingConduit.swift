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

    /// Creates the conduit.
    ///
    /// - Parameter telling: Whether the observer is notified of requests and `cancel()` after the end as well.
    // Not inlined: the frame of a caller that subscribes stays small.
    @inlinable @inline(never) package init(
        name: StaticString, _ observer: Observer, telling: Gate.Telling = .forwardedSignals,
        _ downstream: some Subscriber<Input, Failure>
    ) {
        self.observer = observer
        self.downstream = AnySubscriber(downstream)
        gate = Gate(name: name.description, notify: observer.notify, telling: telling)
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
        return gate
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
