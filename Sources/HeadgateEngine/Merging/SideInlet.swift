import HeadgateCore

/// A conduit all of whose sides send values of one type.
@usableFromInline package protocol Gathering: Joining {
    associatedtype Input

    /// Receives a value.
    ///
    /// - Returns: The demand to return to its side.
    func take(_ input: Input, from side: Side) -> Subscribers.Demand

    /// Enqueues a value for the drain's owner.
    ///
    /// - Returns: The demand to return to its side meanwhile.
    func postpone(_ input: Input, from side: Side) -> Subscribers.Demand
}

extension Gathering {
    @inlinable @inline(never) package func postpone(_ input: Input, from side: Side) -> Subscribers.Demand {
        postpone { self.request(self.take(input, from: side), from: side) }
        return .none
    }
}

/// The subscriber to one of the sides of such a conduit.
@usableFromInline package struct SideInlet<Conduit: Gathering>: Inlet {
    @usableFromInline package typealias Input = Conduit.Input

    @usableFromInline package typealias Failure = Conduit.Failure

    @usableFromInline package let conduit: Conduit

    @usableFromInline package let side: Conduit.Side

    @inlinable package init(_ conduit: Conduit, _ side: Conduit.Side) {
        self.conduit = conduit
        self.side = side
    }

    @inlinable @inline(__always) package func take(_ input: Input) -> Subscribers.Demand {
        conduit.take(input, from: side)
    }

    @inlinable package func postpone(_ input: Input) -> Subscribers.Demand { conduit.postpone(input, from: side) }
}
