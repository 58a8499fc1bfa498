import HeadgateCore

/// Requests unlimited values from upstream, drops them, and forwards the completion.
///
/// Transparent: upstream's subscription is forwarded downstream unchanged.
@usableFromInline package struct DiscardingConduit<Input, Output, Failure: Error>: Subscriber {
    @usableFromInline package let downstream: AnySubscriber<Output, Failure>

    @inlinable package init(_ downstream: some Subscriber<Output, Failure>) {
        self.downstream = AnySubscriber(downstream)
    }

    @inlinable package var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @inlinable package func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
        subscription.request(.unlimited)
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand { .none }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        downstream.receive(completion: completion)
    }
}
