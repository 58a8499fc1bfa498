import HeadgateCore

/// Forwards everything unchanged, and notifies an observer of what comes from upstream.
///
/// Transparent: upstream's subscription is forwarded unchanged, so requests and `cancel()` aren't observed, and nothing
/// is dropped here.
@usableFromInline
package struct TransparentConduit<Downstream: Subscriber, Observer: StreamObserver>: Subscriber
where Observer.Value == Downstream.Input, Observer.Failure == Downstream.Failure {
    @usableFromInline package let observer: Observer

    @usableFromInline package let downstream: Downstream

    @inlinable package init(_ observer: Observer, _ downstream: Downstream) {
        self.observer = observer
        self.downstream = downstream
    }

    @inlinable package var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @inlinable package func receive(subscription: any Subscription) {
        observer.offered(subscription)
        observer.subscribed()
        downstream.receive(subscription: subscription)
    }

    @inlinable @inline(__always) package func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        observer.received(input)
        return downstream.receive(input)
    }

    @inlinable package func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        observer.completed(completion)
        downstream.receive(completion: completion)
        observer.ended()
    }
}
