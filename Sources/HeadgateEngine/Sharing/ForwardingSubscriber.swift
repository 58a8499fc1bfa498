import HeadgateCore

/// A subscriber that forwards to another one, under a name of its own or with its cancellation told: once, unless the stream
/// has completed.
@usableFromInline package struct ForwardingSubscriber<Downstream: Subscriber>: Subscriber {
    @usableFromInline let downstream: Downstream

    @usableFromInline let gate: Gate

    @usableFromInline let owner: AnyObject?

    /// Creates a subscriber.
    ///
    /// - Parameters:
    ///   - name: The description of the subscription in a log; that of upstream's if there is none.
    ///   - owner: Retained until the subscriber has cancelled or received the completion.
    ///   - leave: Called with the subscriber's cancellation, after upstream.
    @inlinable package init(
        _ downstream: Downstream, name: String? = nil, keeping owner: AnyObject? = nil,
        leave: ((Signal) -> Void)? = nil
    ) {
        self.downstream = downstream
        self.owner = owner
        gate = Gate(name: name, notify: leave, telling: .cancellation)
    }

    @inlinable package var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @inlinable package func receive(subscription: any Subscription) {
        if gate.upstream.fill(with: subscription) { downstream.receive(subscription: gate) }
    }

    @inlinable package func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        gate.upstream.isClosed ? .none : downstream.receive(input)
    }

    @inlinable package func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        if !gate.upstream.close() { return Undeliverable.note(completion) }
        downstream.receive(completion: completion)
    }
}
