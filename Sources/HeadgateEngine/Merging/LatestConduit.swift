import HeadgateCore

/// Combines the most recent values of its upstreams.
///
/// Demand is forwarded to all of them, since each may bring the next row. Values that a side has sent before there
/// was a first row are requested from it again, so little demand never stalls the stream.
@usableFromInline
package final class LatestConduit<Row, Failure: Error>: RowConduit<Row, LatestSide, Failure>, Answering {
    /// Whether the most recent row arrived without demand.
    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var isWaiting = false

    @inlinable package init(_ downstream: AnySubscriber<Row, Failure>) {
        super.init(name: "CombineLatest", downstream, handle: LatestConduit.forwarding)
    }

    /// Attaches a subscriber to the rows.
    ///
    /// - Parameter attach: Subscribes to the upstreams through sides created by `side(_:)`, and returns the row's
    ///   closure.
    @inlinable package static func connect(
        to subscriber: some Subscriber<Row, Failure>, attach: (LatestConduit) -> (() -> Row)
    ) {
        let conduit = LatestConduit(AnySubscriber(subscriber))
        conduit.connect(subscriber) { conduit.maker = RowMaker(attach(conduit)) }
    }

    /// Subscribes to one more upstream.
    ///
    /// - Returns: Its side, for the row's closure to read.
    @inlinable package func side<P: Publisher>(_ publisher: P) -> LatestValue<P.Output> where P.Failure == Failure {
        let side = LatestValue<P.Output>()
        sides.append(side)
        lacking += 1
        publisher.receive(subscriber: LatestInlet(self, side))
        return side
    }

    /// Adds new demand, delivers a row that waits for it, and forwards it.
    @usableFromInline package func serve() {
        if isOver { return }
        var demand = takeDemand()
        if isWaiting {
            isWaiting = false
            demand -= 1
            demand += deliverRow()
            finishIfDone()
        }
        if !isOver { requestFromOthers(demand, than: nil) }
    }

    @inlinable func requestFromOthers(_ demand: Subscribers.Demand, than side: LatestSide?) {
        for other in sides where other !== side { request(demand, from: other.subscription) }
    }

    /// Called when a side has a new value.
    ///
    /// - Returns: The demand to return to that side.
    @inlinable @inline(__always) func hasChanged(_ side: LatestSide) -> Subscribers.Demand {
        if !side.hasValue {
            side.hasValue = true
            lacking -= 1
            if lacking == 0 { makeUp(for: side) }
        }
        if lacking > 0 {
            side.early += 1
            return .none
        }
        let more = deliverRow()
        if more > .none { requestFromOthers(more, than: side) }
        return more
    }

    /// Requests replacements for the values that arrived before the first row, except the one of each side that is in
    /// it.
    @usableFromInline func makeUp(for side: LatestSide) {
        for other in sides where other !== side { request(.max(other.early - 1), from: other.subscription) }
    }

    /// Delivers a row, or keeps it until there is demand or a later row replaces it.
    ///
    /// - Returns: The demand that the subscriber returns.
    @inlinable @inline(__always) func deliverRow() -> Subscribers.Demand {
        // An upstream may send before the others are attached.
        guard canMakeRows else { return .none }
        if outstanding.takeOne(), let row = makeRow() { return deliver(row) }
        isWaiting = !outstanding.isClosed
        return .none
    }

    @usableFromInline func end(_ side: LatestSide, _ completion: Subscribers.Completion<Failure>) {
        end(side, completion) { finishIfDone() }
    }

    @usableFromInline func finishIfDone() {
        if !isWaiting, sides.allSatisfy(\.hasEnded) { finish(.finished) }
    }
}

/// One of the upstreams of a `LatestConduit`.
// Confined to the owner of the conduit's drain.
@usableFromInline package class LatestSide: Upstream {
    @exclusivity(unchecked) @usableFromInline final var hasValue = false

    /// How many values arrived before every other side had one.
    @exclusivity(unchecked) @usableFromInline final var early = 0
}

/// The most recent value of one upstream.
@usableFromInline package final class LatestValue<Value>: LatestSide {
    @exclusivity(unchecked) @usableFromInline var latest: Value?

    /// The most recent value, which must exist.
    @inlinable package var value: Value { latest.unsafelyUnwrapped }
}

/// The subscriber to one of the upstreams whose most recent values are combined.
@usableFromInline package struct LatestInlet<Input, Row, Failure: Error>: Inlet {
    @usableFromInline let combination: LatestConduit<Row, Failure>

    @usableFromInline let side: LatestValue<Input>

    @inlinable init(_ combination: LatestConduit<Row, Failure>, _ side: LatestValue<Input>) {
        self.combination = combination
        self.side = side
    }

    @inlinable package var conduit: DrainingConduit { combination }

    @inlinable package var upstream: ConduitSubscription? { side.subscription }

    @inlinable package func connect(to subscription: ConduitSubscription) -> Subscribers.Demand {
        side.connect(to: subscription, isWanted: !combination.isOver) ? combination.outstanding.current : .none
    }

    @inlinable @inline(__always) package func take(_ input: Input) -> Subscribers.Demand {
        if combination.isOver || side.hasEnded { return .none }
        side.latest = input
        return combination.hasChanged(side)
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) { combination.end(side, completion) }
}
