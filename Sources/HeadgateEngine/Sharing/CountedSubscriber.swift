import HeadgateCore

/// A subscription whose cancellation is counted, once, unless the stream has completed.
@usableFromInline package final class CountedSubscription: ConduitSubscription, SignalHandling {
    @usableFromInline package let upstream = SubscriptionSlot()

    @usableFromInline package let leave: () -> Void

    @usableFromInline package init(leave: @escaping () -> Void) {
        self.leave = leave
        super.init(handle: CountedSubscription.handling)
    }

    @usableFromInline package func handleRequest(_ demand: Subscribers.Demand) { upstream.request(demand) }

    @usableFromInline package func handleCancel() {
        if upstream.cancel() { leave() }
    }

    @usableFromInline package override var description: String { upstream.subscription.map { "\($0)" } ?? "Empty" }

    @usableFromInline package override var traits: SubscriptionTraits { upstream.traits }
}

/// A subscriber that forwards to another one, through a subscription whose cancellation is counted.
@usableFromInline package struct CountedSubscriber<Downstream: Subscriber>: Subscriber {
    @usableFromInline let downstream: Downstream

    @usableFromInline let subscription: CountedSubscription

    @usableFromInline let owner: AnyObject

    /// Creates a subscriber.
    ///
    /// - Parameters:
    ///   - owner: Retained until the subscriber has cancelled or received the completion.
    ///   - leave: Called when the subscriber has cancelled, after upstream.
    @inlinable package init(_ downstream: Downstream, keeping owner: AnyObject, leave: @escaping () -> Void) {
        self.downstream = downstream
        self.owner = owner
        subscription = CountedSubscription(leave: leave)
    }

    @inlinable package var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @inlinable package func receive(subscription upstream: any Subscription) {
        if subscription.upstream.fill(with: upstream) { downstream.receive(subscription: subscription) }
    }

    @inlinable package func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }

    @inlinable package func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        if !subscription.upstream.close() { return Undeliverable.note(completion) }
        downstream.receive(completion: completion)
    }
}
