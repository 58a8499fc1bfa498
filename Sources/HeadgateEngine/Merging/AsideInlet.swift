import HeadgateCore

/// The subscriber to an upstream whose values the conduit doesn't combine: they tell it something.
@usableFromInline package struct AsideInlet<Input, Failure: Error, Conduit: Joining>: Inlet {
    @usableFromInline package let conduit: Conduit

    @usableFromInline package let side: Upstream

    /// What is requested when the upstream is attached.
    @usableFromInline let demand: Subscribers.Demand

    @usableFromInline let onValue: (Conduit, Input) -> Void

    @usableFromInline let onCompletion: (Conduit, Subscribers.Completion<Failure>) -> Void

    @inlinable package init(
        _ conduit: Conduit, _ side: Upstream, demand: Subscribers.Demand,
        onValue: @escaping (Conduit, Input) -> Void,
        onCompletion: @escaping (Conduit, Subscribers.Completion<Failure>) -> Void
    ) {
        self.conduit = conduit
        self.side = side
        self.demand = demand
        self.onValue = onValue
        self.onCompletion = onCompletion
    }

    @inlinable package func connect(to subscription: ConduitSubscription) -> Subscribers.Demand {
        conduit.accept(subscription, of: side, if: conduit.isWanted) ? demand : .none
    }

    @inlinable package func take(_ input: Input) -> Subscribers.Demand {
        if !conduit.takesNothing, !side.hasEnded { onValue(conduit, input) }
        return .none
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) {
        if conduit.takesNothing { return }
        if conduit.end(side) { onCompletion(conduit, completion) } else { Undeliverable.note(completion) }
    }
}
