import HeadgateCore

/// A conduit whose upstreams are created from the values of an outer publisher.
@usableFromInline package protocol Flattening: Answering {
    var outer: Upstream { get }

    /// What to request from the outer publisher, which has been attached, or for which there is demand now: none until
    /// both are true.
    func demandForOuter() -> Subscribers.Demand

    /// Called when the outer publisher has completed.
    func endOuter(_ completion: Subscribers.Completion<Failure>)
}

extension Flattening {
    /// Attaches a subscriber to what the conduit makes of the values of an outer publisher.
    ///
    /// - Parameter attach: Creates a publisher from a value and attaches it, outside the drain; returns the demand for
    ///   the outer publisher.
    @inlinable package func connect<Outer: Publisher>(
        _ outer: Outer, to subscriber: some Subscriber<Output, Failure>,
        attach: @escaping (Outer.Output, Self) -> Subscribers.Demand
    ) where Outer.Failure == Failure {
        // Without the closure of `connect(_:attach:)`, which would be compiled once per operator of a chain.
        beginConnecting()
        outer.receive(subscriber: OuterInlet(self, attach: attach))
        endConnecting(subscriber)
    }
}

/// The subscriber to a conduit's outer publisher.
@usableFromInline package struct OuterInlet<Input, Conduit: Flattening>: Inlet {
    @usableFromInline package typealias Failure = Conduit.Failure

    @usableFromInline let host: Conduit

    /// Creates a publisher from a value and attaches it, outside the drain; returns the demand for the outer publisher.
    @usableFromInline let attach: (Input, Conduit) -> Subscribers.Demand

    @inlinable package init(_ host: Conduit, attach: @escaping (Input, Conduit) -> Subscribers.Demand) {
        self.host = host
        self.attach = attach
    }

    @inlinable package var combineIdentifier: CombineIdentifier { CombineIdentifier(host.outer) }

    @inlinable package var conduit: DrainingConduit { host }

    @inlinable package var upstream: ConduitSubscription? { host.outer.subscription }

    @inlinable package func connect(to subscription: ConduitSubscription) -> Subscribers.Demand {
        guard host.outer.connect(to: subscription, isWanted: !host.isOver), host.phase != .connecting else {
            return .none
        }
        return host.demandForOuter()
    }

    // Creating a publisher and subscribing to it is user code, and it may deliver immediately.
    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        host.outstanding.isClosed || host.outer.isDone ? .none : attach(input, host)
    }

    @inlinable package func take(_ input: Input) -> Subscribers.Demand { .none }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if host.outer.isDone { return }
        host.outer.isDone = true
        host.attend {
            if host.phase == .over { Undeliverable.note(completion) }
            end(completion)
        }
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) {
        if host.outer.end(), !host.isOver { host.endOuter(completion) }
    }
}
