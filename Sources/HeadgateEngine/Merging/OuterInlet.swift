import HeadgateCore

/// A conduit whose upstreams are created from the values of an outer publisher.
@usableFromInline package protocol Flattening: Joining {
    /// What to request from the outer publisher, which has been attached, or for which there is demand now: none until
    /// both are true.
    func demandForOuter() -> Subscribers.Demand

    /// Called when the outer publisher has completed.
    func endOuter(_ completion: Subscribers.Completion<Failure>)
}

extension Flattening {
    /// Attaches a subscriber to what the conduit makes of the values of an outer publisher.
    ///
    /// - Parameters:
    ///   - outer: The state of the outer publisher.
    ///   - attach: Creates a publisher from a value and attaches it, outside the drain; returns the demand for the outer
    ///     publisher.
    @inlinable @inline(__always) package func connect<Publishers: Publisher>(
        _ publishers: Publishers, as outer: Upstream, to subscriber: some Subscriber<Output, Failure>,
        attach: @escaping (Publishers.Output, Self, Upstream) -> Subscribers.Demand
    ) where Publishers.Failure == Failure {
        // Inlined, and without the closure of `connect(_:attach:)`: either would be compiled once per operator of a chain.
        publishers.receive(subscriber: beginConnecting(as: outer, attach: attach))
        endConnecting(subscriber)
    }

    // Not inlined: it stands once in a client's code, too.
    @inlinable @inline(never) func beginConnecting<Input>(
        as outer: Upstream, attach: @escaping (Input, Self, Upstream) -> Subscribers.Demand
    ) -> OuterInlet<Input, Self> {
        beginConnecting()
        return OuterInlet(self, outer, attach: attach)
    }
}

/// The subscriber to a conduit's outer publisher.
@usableFromInline package struct OuterInlet<Input, Conduit: Flattening>: Inlet {
    @usableFromInline package typealias Failure = Conduit.Failure

    @usableFromInline package let conduit: Conduit

    @usableFromInline package let side: Upstream

    /// Creates a publisher from a value and attaches it, outside the drain; returns the demand for the outer publisher.
    @usableFromInline let attach: (Input, Conduit, Upstream) -> Subscribers.Demand

    @inlinable package init(
        _ conduit: Conduit, _ outer: Upstream,
        attach: @escaping (Input, Conduit, Upstream) -> Subscribers.Demand
    ) {
        self.conduit = conduit
        side = outer
        self.attach = attach
    }

    @inlinable package func connect(to subscription: ConduitSubscription) -> Subscribers.Demand {
        guard conduit.accept(subscription, of: side, if: !conduit.isOver), conduit.phase == .connected else {
            return .none
        }
        return conduit.demandForOuter()
    }

    // Creating a publisher and subscribing to it is user code, and it may deliver immediately.
    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        conduit.outstanding.isClosed || side.hasSentCompletion ? .none : attach(input, conduit, side)
    }

    // Not called: a publisher needs no turn of its own.
    @inlinable package func take(_ input: Input) -> Subscribers.Demand { .none }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if side.hasSentCompletion { return }
        side.hasSentCompletion = true
        conduit.attend { endInTurn(completion) }
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) {
        if conduit.end(side), !conduit.isOver { conduit.endOuter(completion) }
    }
}
