import HeadgateCore

/// The closures that observe a stream.
@usableFromInline package struct StreamObserver<Output, Failure: Error> {
    @usableFromInline package var subscription: ((any Subscription) -> Void)?

    @usableFromInline package var value: ((Output) -> Void)?

    @usableFromInline package var completion: ((Subscribers.Completion<Failure>) -> Void)?

    @usableFromInline package var request: ((Subscribers.Demand) -> Void)?

    /// Called with the demand returned for a value.
    @usableFromInline package var answer: ((Subscribers.Demand) -> Void)?

    @usableFromInline package var cancel: (() -> Void)?

    @inlinable package init() {}
}

/// Forwards everything in both directions, and notifies an observer beforehand.
///
/// After the end and after `cancel()`, the observer is notified of further subscriptions, which are refused, and of
/// nothing else unless it observes every call.
@usableFromInline package final class ObservingConduit<Output, Failure: Error>: Subscriber {
    @usableFromInline package typealias Input = Output

    @usableFromInline package let observer: StreamObserver<Output, Failure>

    @usableFromInline package let downstream: AnySubscriber<Output, Failure>

    @usableFromInline package let gate: Gate

    /// Whether the observer is notified of requests and `cancel()` after the end as well.
    @usableFromInline package let observesEveryCall: Bool

    @inlinable package init(
        name: StaticString, _ observer: StreamObserver<Output, Failure>, observesEveryCall: Bool = false,
        _ downstream: some Subscriber<Output, Failure>
    ) {
        self.observesEveryCall = observesEveryCall
        if observesEveryCall {
            self.observer = observer
            self.downstream = AnySubscriber(downstream)
            gate = Gate(name: name.description)
            return
        }
        self.observer = observer
        self.downstream = AnySubscriber(downstream)
        gate = Gate(name: name.description) { [request = observer.request, cancel = observer.cancel] signal in
            switch signal {
            case .request(let demand): request?(demand)
            case .cancel: cancel?()
            }
        }
    }

    @inlinable package func receive(subscription: any Subscription) {
        observer.subscription?(subscription)
        if !gate.upstream.fill(with: subscription) { return }
        downstream.receive(
            subscription: observesEveryCall ? ObservedSubscription(gate, observer.request, observer.cancel) : gate)
    }

    @inlinable package func receive(_ input: Output) -> Subscribers.Demand {
        if gate.upstream.isClosed { return .none }
        observer.value?(input)
        let demand = downstream.receive(input)
        if demand > .none { observer.answer?(demand) }
        return demand
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if !gate.upstream.close() { return Undeliverable.note(completion) }
        observer.completion?(completion)
        downstream.receive(completion: completion)
    }
}

/// The subscription of a stream whose observer is notified of every request and every `cancel()`, even after the end.
@usableFromInline package final class ObservedSubscription: ConduitSubscription, SignalHandling {
    @usableFromInline package let gate: Gate

    @usableFromInline package let onRequest: ((Subscribers.Demand) -> Void)?

    @usableFromInline package let onCancel: (() -> Void)?

    @inlinable package init(
        _ gate: Gate, _ onRequest: ((Subscribers.Demand) -> Void)?, _ onCancel: (() -> Void)?
    ) {
        self.gate = gate
        self.onRequest = onRequest
        self.onCancel = onCancel
        super.init(handle: ObservedSubscription.handling)
    }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        onRequest?(demand)
        gate.request(demand)
    }

    @inlinable package func handleCancel() {
        onCancel?()
        gate.cancel()
    }

    @usableFromInline package override var description: String { gate.description }

    @usableFromInline package override var traits: SubscriptionTraits { gate.traits }
}
