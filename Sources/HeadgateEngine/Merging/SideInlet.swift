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

    /// Receives a value on the thread of its side, which doesn't own the drain yet.
    ///
    /// - Returns: The demand to return to its side.
    func receive(_ input: Input, from side: Side) -> Subscribers.Demand
}

extension Gathering {
    /// Subscribes to the publisher of one side: its `receive(subscriber:)`.
    @usableFromInline package typealias Attach = (SideInlet<Self>) -> Void

    @inlinable @inline(__always) package func receive(_ input: Input, from side: Side) -> Subscribers.Demand {
        receiveInTurn(input, from: side)
    }

    @inlinable @inline(__always) package func receiveInTurn(_ input: Input, from side: Side) -> Subscribers.Demand {
        if !takeTurn() { return isWithdrawn ? .none : postpone(input, from: side) }
        let more = take(input, from: side)
        leave()
        return more
    }

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

    @inlinable @inline(__always) package func receive(_ input: Input) -> Subscribers.Demand {
        conduit.receive(input, from: side)
    }

    @inlinable @inline(__always) package func take(_ input: Input) -> Subscribers.Demand {
        conduit.take(input, from: side)
    }
}
