import HeadgateCore

/// Forwards everything unchanged, and notifies an observer beforehand of what comes from upstream.
///
/// Transparent: upstream's subscription is forwarded unchanged, so requests and `cancel()` aren't observed.
@usableFromInline package struct TransparentObserver<Downstream: Subscriber>: Subscriber {
    @usableFromInline package let observer: StreamObserver<Downstream.Input, Downstream.Failure>

    @usableFromInline package let downstream: Downstream

    @inlinable package init(_ observer: StreamObserver<Downstream.Input, Downstream.Failure>, _ downstream: Downstream)
    {
        self.observer = observer
        self.downstream = downstream
    }

    @inlinable package var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @inlinable package func receive(subscription: any Subscription) {
        observer.subscription?(subscription)
        downstream.receive(subscription: subscription)
    }

    @inlinable package func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        observer.value?(input)
        return downstream.receive(input)
    }

    @inlinable package func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        observer.completion?(completion)
        downstream.receive(completion: completion)
    }
}
