import HeadgateCore

/// Asks upstream for everything at once, drops it, and passes the completion on.
///
/// Transparent: the subscription of upstream goes downstream as it is.
@usableFromInline
struct DiscardingConduit<Input, Output, Failure: Error>: Subscriber {
    @usableFromInline
    let downstream: AnySubscriber<Output, Failure>

    @inlinable
    init<S: Subscriber>(_ downstream: S) where S.Input == Output, S.Failure == Failure {
        self.downstream = AnySubscriber(downstream)
    }

    @inlinable
    var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @inlinable
    func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
        subscription.request(.unlimited)
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand { .none }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) { downstream.receive(completion: completion) }
}
