import HeadgateCore

/// Forwards everything in both directions, through a subscription with a name of its own.
@usableFromInline package struct NamingConduit<Downstream: Subscriber>: Subscriber {
    @usableFromInline package let downstream: Downstream

    @usableFromInline package let gate: Gate

    @inlinable package init(name: StaticString, _ downstream: Downstream) {
        self.downstream = downstream
        gate = Gate(name: name.description)
    }

    @inlinable package var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @inlinable package func receive(subscription: any Subscription) {
        if gate.upstream.fill(with: subscription) { downstream.receive(subscription: gate) }
    }

    @inlinable package func receive(_ input: Downstream.Input) -> Subscribers.Demand { downstream.receive(input) }

    @inlinable package func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        if !gate.upstream.close() { return Undeliverable.note(completion) }
        downstream.receive(completion: completion)
    }
}
