import HeadgateCore

/// Passes everything on as it is, and tells an observer before it does what comes from upstream.
///
/// Transparent: the subscription of upstream goes downstream as it is, so nothing is known of requests and `cancel()`.
@usableFromInline
struct TransparentObserver<Downstream: Subscriber>: Subscriber {
    @usableFromInline
    let observer: StreamObserver<Downstream.Input, Downstream.Failure>

    @usableFromInline
    let downstream: Downstream

    @inlinable
    init(_ observer: StreamObserver<Downstream.Input, Downstream.Failure>, _ downstream: Downstream) {
        self.observer = observer
        self.downstream = downstream
    }

    @inlinable
    var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @inlinable
    func receive(subscription: any Subscription) {
        observer.subscription?(subscription)
        downstream.receive(subscription: subscription)
    }

    @inlinable
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        observer.value?(input)
        return downstream.receive(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        observer.completion?(completion)
        downstream.receive(completion: completion)
    }
}
