import HeadgateCore

/// A conduit whose upstreams are all of one kind, its sides.
///
/// The functions are called by the owner of the drain.
@usableFromInline package protocol Gathering: Answering {
    associatedtype Input
    associatedtype Side: Upstream

    /// Takes the subscription to a side in.
    ///
    /// - Returns: What to request.
    func connect(_ side: Side, to subscription: ConduitSubscription) -> Subscribers.Demand

    /// Receives a value.
    ///
    /// - Returns: What to request from its side.
    func take(_ input: Input, from side: Side) -> Subscribers.Demand

    /// Hears that a side has ended.
    func end(_ side: Side, _ completion: Subscribers.Completion<Failure>)

    /// Enqueues a value for the drain's owner.
    ///
    /// - Returns: What to request from its side meanwhile.
    func postpone(_ input: Input, from side: Side) -> Subscribers.Demand
}

extension Gathering {
    @inlinable package func postpone(_ input: Input, from side: Side) -> Subscribers.Demand {
        postpone { self.request(self.take(input, from: side), from: side.subscription) }
        return .none
    }
}

/// What subscribes to one of the sides of a conduit.
@usableFromInline package struct SideInlet<Conduit: Gathering>: Inlet {
    @usableFromInline package typealias Input = Conduit.Input

    @usableFromInline package typealias Failure = Conduit.Failure

    @usableFromInline let host: Conduit

    @usableFromInline let side: Conduit.Side

    @inlinable package init(_ host: Conduit, _ side: Conduit.Side) {
        self.host = host
        self.side = side
    }

    @inlinable package var combineIdentifier: CombineIdentifier { CombineIdentifier(side) }

    @inlinable package var conduit: DrainingConduit { host }

    @inlinable package var upstream: ConduitSubscription? { side.subscription }

    @inlinable package func connect(to subscription: ConduitSubscription) -> Subscribers.Demand {
        host.connect(side, to: subscription)
    }

    @inlinable package func take(_ input: Input) -> Subscribers.Demand { host.take(input, from: side) }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) { host.end(side, completion) }

    @inlinable package func postpone(_ input: Input) -> Subscribers.Demand { host.postpone(input, from: side) }
}
