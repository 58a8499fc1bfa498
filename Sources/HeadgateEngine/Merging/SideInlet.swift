import HeadgateCore

/// A conduit whose upstreams are all of one kind, its sides.
///
/// The drain's owner calls the functions.
@usableFromInline package protocol Gathering: Answering {
    associatedtype Input
    associatedtype Side: Upstream

    /// Receives the subscription to a side.
    ///
    /// - Returns: The demand to request.
    func connect(_ side: Side, to subscription: ConduitSubscription) -> Subscribers.Demand

    /// Receives a value.
    ///
    /// - Returns: The demand to return to its side.
    func take(_ input: Input, from side: Side) -> Subscribers.Demand

    /// Called when a side has completed.
    func end(_ side: Side, _ completion: Subscribers.Completion<Failure>)

    /// Enqueues a value for the drain's owner.
    ///
    /// - Returns: The demand to return to its side meanwhile.
    func postpone(_ input: Input, from side: Side) -> Subscribers.Demand
}

extension Gathering {
    @inlinable @inline(never) package func postpone(_ input: Input, from side: Side) -> Subscribers.Demand {
        postpone { self.request(self.take(input, from: side), from: side.subscription) }
        return .none
    }
}

/// The subscriber to one of the sides of a conduit.
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

    @inlinable @inline(__always) package func take(_ input: Input) -> Subscribers.Demand {
        host.take(input, from: side)
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) { host.end(side, completion) }

    @inlinable package func postpone(_ input: Input) -> Subscribers.Demand { host.postpone(input, from: side) }
}
