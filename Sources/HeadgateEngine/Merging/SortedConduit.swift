import HeadgateCore

/// Merges upstreams whose values are sorted, so that the result is sorted.
///
/// One value of each upstream waits, in a tournament. The least of them is delivered, and the next one is requested
/// from its upstream, but nothing is requested before there is demand for it. An upstream that answers at once is
/// pulled: it is requested from inside the drain, and its value is stored without a turn of its own.
@usableFromInline
package final class SortedConduit<Output, Failure: Error>: JoiningConduit<Output, Failure>, Gathering {
    @usableFromInline package typealias Input = Output

    @usableFromInline package typealias Side = SortedSide<Output>

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var sides = ContiguousArray<Side>()

    /// The side whose value comes first, which waits for demand, unless the value of another is missing.
    @exclusivity(unchecked) @usableFromInline var winner: Unmanaged<Side>?

    @inlinable init(_ downstream: AnySubscriber<Output, Failure>) {
        super.init(name: "MergeSorted", requestsWhileDemanded: true, downstream, handle: SortedConduit.serving)
    }

    /// Attaches a subscriber to the values of publishers, in order.
    @inlinable package static func connect<Source: Publisher<Output, Failure>>(
        _ publishers: [Source], by areInIncreasingOrder: @escaping (Output, Output) -> Bool,
        to subscriber: some Subscriber<Output, Failure>
    ) {
        let conduit = SortedConduit(AnySubscriber(subscriber))
        conduit.connect(subscriber) {
            conduit.sides = Side.makeTournament(of: publishers.count, by: areInIncreasingOrder)
            for (publisher, side) in zip(publishers, conduit.sides) where conduit.earlyEnd == nil {
                publisher.receive(subscriber: SideInlet(conduit, side))
            }
        }
    }

    /// Delivers values as long as the next one is known, and requests the missing ones.
    @inlinable package func serve() {
        if isOver { return }
        if let winner = winner.take() {
            _ = advance(from: winner, answering: nil)
            note(waiting: waitingCount)
        } else if sides.isEmpty {
            finish(.finished)
        }
    }

    @inlinable package func connect(_ side: Side, to subscription: ConduitSubscription) -> Subscribers.Demand {
        if accept(subscription, of: side, if: !isOver) {
            if subscription.traits.contains(.answersDemandAtOnce) {
                side.source = Unmanaged.passUnretained(subscription)
            }
            request(.max(1), from: side)
            if phase == .connected { serve() }
        }
        return .none
    }

    /// Stores a value that is pulled, and takes its turn with any other.
    @inlinable @inline(__always) package func receive(_ value: Output, from side: Side) -> Subscribers.Demand {
        // The owner is tested first: what is pulled belongs to it.
        if !drain.isOwnedByCaller || !side.isPulled { return receiveUnpulled(value, from: side) }
        if side.head == nil { side.head = value }
        return .none
    }

    @inlinable @inline(never) func receiveUnpulled(_ value: Output, from side: Side) -> Subscribers.Demand {
        receiveInTurn(value, from: side)
    }

    @inlinable @inline(__always) package func take(_ value: Output, from side: Side) -> Subscribers.Demand {
        // When the stream is over, all sides have ended.
        if side.hasEnded || side.head != nil { return .none }
        side.head = value
        if let winner = side.compete() { return advance(from: winner, answering: side) }
        note(waiting: waitingCount)
        return .none
    }

    /// Delivers values as long as none is missing.
    ///
    /// - Parameters:
    ///   - winner: The side whose value comes first.
    ///   - answered: The side whose upstream is waiting for an answer.
    /// - Returns: The demand to return to that upstream.
    @inlinable @inline(__always) func advance(
        from winner: Unmanaged<Side>, answering answered: Side?
    ) -> Subscribers.Demand {
        var next: Unmanaged<Side>? = winner
        while let side = next {
            // `nil` if the next side is known.
            let answer = side._withUnsafeGuaranteedRef { side -> Subscribers.Demand? in
                if side.head == nil {
                    finish(.finished)
                    return Subscribers.Demand.none
                }
                guard outstanding.takeOne(), let value = side.head.take() else {
                    self.winner = Unmanaged.passUnretained(side)
                    note(waiting: waitingCount)
                    return Subscribers.Demand.none
                }
                _ = deliver(value)
                if !side.hasEnded {
                    // Nothing else is missing, so nothing else uses up the demand.
                    if side === answered, outstanding.isPending { return .max(1) }
                    if !pull(side) { return Subscribers.Demand.none }
                }
                next = side.compete()
                return nil
            }
            if let answer { return answer }
        }
        return .none
    }

    /// How many values wait for those of other sides, or for demand.
    @usableFromInline var waitingCount: Int { sides.reduce(0) { $1.head == nil ? $0 : $0 + 1 } }

    /// Requests the next value of a side, the only one that is missing.
    ///
    /// - Returns: Whether it has arrived, because the side answers at once.
    @inlinable @inline(__always) func pull(_ side: Side) -> Bool {
        // Others that wait for the drain have to be let in: one of them may end the stream.
        guard let source = side.source, outstanding.isPending, drain.isUndisturbed else {
            request(.max(1), from: side)
            return false
        }
        side.isPulled = true
        source._withUnsafeGuaranteedRef { $0.request(.max(1)) }
        side.isPulled = false
        // If not, its completion waits for the drain, or another thread with its value.
        return side.head != nil
    }

    @inlinable package func end(_ side: Side, _ completion: Subscribers.Completion<Failure>) {
        end(side, completion) {
            if side.head == nil { winner = side.compete() }
            if phase == .connected || winner != nil { serve() }
        }
    }

    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        sides.reduce(.waitsForDemand) { $0.intersection($1.traits) }
    }

    @usableFromInline package override func releaseValues() {
        winner = nil
        for side in exchange(&sides, with: []) {
            side.head = nil
            side.hasEnded = true
        }
    }
}

/// One of the upstreams of a `SortedConduit`, and a node of its tournament.
///
/// The tournament is a binary tree: the sides are its leaves, and at each node the value that comes later stays, while
/// the other one rises. So the next winner is found on the way up from the previous one, with one comparison per node.
// Confined to the owner of the conduit's drain, whose list retains all sides.
@usableFromInline package final class SortedSide<Value>: Upstream {
    @usableFromInline let areInIncreasingOrder: (Value, Value) -> Bool

    /// The position in the list of publishers.
    @usableFromInline let position: Int

    /// The value that waits for its turn; constant during the tournament.
    @exclusivity(unchecked) @usableFromInline var head: Value?

    /// The subscription, if it sends what is requested before the request returns.
    // Not retained, because the other reference to it is released by the drain's owner, which uses this one.
    @exclusivity(unchecked) @usableFromInline var source: Unmanaged<ConduitSubscription>?

    /// Whether the conduit is waiting for the value that it has requested.
    @exclusivity(unchecked) @usableFromInline var isPulled = false

    /// The node at which this side enters the tournament; none if it is alone.
    @exclusivity(unchecked) @usableFromInline var entry: Unmanaged<SortedSide>?

    /// The next node after this one.
    @exclusivity(unchecked) @usableFromInline var above: Unmanaged<SortedSide>?

    /// The side that stays at this node; none before one has come.
    @exclusivity(unchecked) @usableFromInline var loser: Unmanaged<SortedSide>?

    @inlinable init(at position: Int, by areInIncreasingOrder: @escaping (Value, Value) -> Bool) {
        self.position = position
        self.areInIncreasingOrder = areInIncreasingOrder
    }

    @inlinable static func makeTournament(
        of count: Int, by areInIncreasingOrder: @escaping (Value, Value) -> Bool
    ) -> ContiguousArray<SortedSide> {
        let sides = ContiguousArray((0..<count).map { SortedSide(at: $0, by: areInIncreasingOrder) })
        // As in a heap, node i is above nodes 2i and 2i + 1, of which those from `count` on are the leaves.
        let node = { (number: Int) in number == 0 ? nil : Unmanaged.passUnretained(sides[number]) }
        for side in sides {
            side.entry = node((count + side.position) / 2)
            side.above = node(side.position / 2)
        }
        return sides
    }

    /// Enters the tournament with a value, or without one because this side has ended.
    ///
    /// - Returns: The side whose value comes first; `nil` if that isn't known, because others have not entered yet.
    @inlinable @inline(__always) func compete() -> Unmanaged<SortedSide>? {
        var winner = Unmanaged.passUnretained(self)
        var next = entry
        while let node = next {
            let goesOn = node._withUnsafeGuaranteedRef { node in
                next = node.above
                guard let loser = node.loser else {
                    node.loser = winner
                    return false
                }
                let isBetter = loser._withUnsafeGuaranteedRef { loser in
                    winner._withUnsafeGuaranteedRef { loser.isBefore($0) }
                }
                if isBetter { (node.loser, winner) = (winner, loser) }
                return true
            }
            if !goesOn { return nil }
        }
        return winner
    }

    /// Whether the value of this side comes first; of equal values, that of the side that comes first in the list.
    @inlinable @inline(__always) func isBefore(_ other: SortedSide) -> Bool {
        guard let first = head else { return false }
        guard let second = other.head else { return true }
        return position < other.position
            ? !areInIncreasingOrder(second, first) : areInIncreasingOrder(first, second)
    }
}
