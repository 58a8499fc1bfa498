import HeadgateCore

/// Requests unlimited values on behalf of a subscriber, which receives them with or without demand of its own.
///
/// Transparent: upstream's subscription is forwarded downstream unchanged.
@usableFromInline package struct UnlimitedDemandConduit<Downstream: Subscriber>: Subscriber {
    @usableFromInline package let downstream: Downstream

    @inlinable package init(_ downstream: Downstream) { self.downstream = downstream }

    @inlinable package var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @inlinable package func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
        subscription.request(.unlimited)
    }

    @inlinable package func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }

    @inlinable package func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        downstream.receive(completion: completion)
    }
}
