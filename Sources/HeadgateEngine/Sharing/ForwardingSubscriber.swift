import HeadgateCore

/// A subscription that forwards everything upstream, under a name of its own or with its cancellation counted: once, unless
/// the stream has completed.
@usableFromInline package final class ForwardingSubscription: ConduitSubscription, SignalHandling {
    @usableFromInline package let upstream = SubscriptionSlot()

    @usableFromInline package let name: String?

    @usableFromInline package let leave: (() -> Void)?

    @usableFromInline package init(name: String?, leave: (() -> Void)?) {
        self.name = name
        self.leave = leave
        super.init(handle: ForwardingSubscription.handling)
    }

    @usableFromInline package func handleRequest(_ demand: Subscribers.Demand) { upstream.request(demand) }

    @usableFromInline package func handleCancel() {
        if upstream.cancel() { leave?() }
    }

    @usableFromInline package override var description: String {
        name ?? upstream.subscription.map { "\($0)" } ?? "Empty"
    }

    @usableFromInline package override var traits: SubscriptionTraits { upstream.traits }
}

/// A subscriber that forwards to another one, through such a subscription.
@usableFromInline package struct ForwardingSubscriber<Downstream: Subscriber>: Subscriber {
    @usableFromInline let downstream: Downstream

    @usableFromInline let subscription: ForwardingSubscription

    @usableFromInline let owner: AnyObject?

    /// Creates a subscriber.
    ///
    /// - Parameters:
    ///   - name: The description of the subscription in a log; that of upstream's if there is none.
    ///   - owner: Retained until the subscriber has cancelled or received the completion.
    ///   - leave: Called when the subscriber has cancelled, after upstream.
    @inlinable package init(
        _ downstream: Downstream, name: String? = nil, keeping owner: AnyObject? = nil, leave: (() -> Void)? = nil
    ) {
        self.downstream = downstream
        self.owner = owner
        subscription = ForwardingSubscription(name: name, leave: leave)
    }

    @inlinable package var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @inlinable package func receive(subscription upstream: any Subscription) {
        if subscription.upstream.fill(with: upstream) { downstream.receive(subscription: subscription) }
    }

    @inlinable package func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        subscription.upstream.isClosed ? .none : downstream.receive(input)
    }

    @inlinable package func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        if !subscription.upstream.close() { return Undeliverable.note(completion) }
        downstream.receive(completion: completion)
    }
}
