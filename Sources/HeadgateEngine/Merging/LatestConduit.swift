import HeadgateCore

/// Combines the most recent values of its upstreams.
///
/// Demand is forwarded to all of them, since each may bring the next row. Values that a side has sent before there
/// was a first row are requested from it again, so little demand never stalls the stream.
@usableFromInline
package final class LatestConduit<Row, Failure: Error>: JoiningConduit<Row, Failure>, Joining {
    @usableFromInline package typealias Output = Row

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var rows = Rows<Row, LatestSide>()

    /// Whether the most recent row arrived without demand.
    @exclusivity(unchecked) @usableFromInline var isWaiting = false

    /// Whether no row will ever be made: a side has finished without a value.
    @exclusivity(unchecked) @usableFromInline var isRowless = false

    /// How many sides have not completed.
    @exclusivity(unchecked) @usableFromInline var living: Int32 = 0

    @inlinable package init(_ downstream: AnySubscriber<Row, Failure>) {
        super.init(name: "CombineLatest", requestsWhileDemanded: true, downstream, handle: LatestConduit.forwarding)
    }

    /// Attaches a subscriber to the rows.
    ///
    /// - Parameter attach: Subscribes to the upstreams through sides created by `side(_:)`, and returns the row's
    ///   closure.
    @inlinable package static func connect(
        to subscriber: some Subscriber<Row, Failure>, attach: (LatestConduit) -> (() -> Row)
    ) {
        let conduit = LatestConduit(AnySubscriber(subscriber))
        conduit.connect(subscriber) { conduit.rows.maker = attach(conduit) }
    }

    /// Subscribes to one more upstream.
    ///
    /// - Returns: Its side, for the row's closure to read.
    @inlinable package func side<P: Publisher>(_ publisher: P) -> LatestValue<P.Output> where P.Failure == Failure {
        let side = LatestValue<P.Output>()
        rows.add(side)
        living += 1
        publisher.receive(subscriber: LatestInlet(self, side))
        return side
    }

    @usableFromInline package func forwardDemand() {
        if !isOver { forward(takeDemand(), toAllBut: nil) }
    }

    /// Adds new demand, delivers a row that waits for it, and forwards it.
    @usableFromInline package func serve() {
        if isOver { return }
        var demand = takeDemand()
        if isWaiting {
            isWaiting = false
            note(waiting: 0)
            demand -= 1
            demand += deliverRow()
            finishIfDone()
        }
        if !isOver { forward(demand, toAllBut: nil) }
    }

    /// Forwards demand to the sides.
    @inlinable func forward(_ demand: Subscribers.Demand, toAllBut side: LatestSide?) {
        for other in rows.sides where other !== side { request(demand, from: other) }
    }

    /// Called when a side has a new value.
    ///
    /// - Returns: The demand to return to that side.
    @inlinable @inline(__always) func hasChanged(_ side: LatestSide) -> Subscribers.Demand {
        if !side.hasValue {
            side.hasValue = true
            rows.lacking -= 1
            if rows.lacking == 0 { makeUp(for: side) }
        }
        if rows.lacking > 0 {
            if isRowless { return outstanding.isPending ? .max(1) : .none }
            side.early += 1
            return .none
        }
        let more = deliverRow()
        if more > .none {
            forward(more, toAllBut: side)
            // The others may use the demand up before this returns; a side that sends on its own is requested from
            // before them.
            if !due.isEmpty {
                request(more, from: side)
                return .none
            }
        }
        return more
    }

    /// Adds to the demand of each side the values that it sent before the first row, except the one that is in it.
    @usableFromInline func makeUp(for side: LatestSide) {
        for other in rows.sides where other !== side && other.early > 1 {
            request(.max(other.early - 1), from: other)
        }
    }

    /// Adds to the demand of each side the values that will be in no row, because another side has finished without one.
    @usableFromInline func giveUpRows() {
        if isRowless || rows.areComplete && rows.lacking == 0 { return }
        isRowless = true
        for side in rows.sides { request(.max(exchange(&side.early, with: 0)), from: side) }
    }

    /// Delivers a row, or keeps it until there is demand or a later row replaces it.
    ///
    /// - Returns: The demand that the subscriber returns.
    @inlinable @inline(__always) func deliverRow() -> Subscribers.Demand {
        // An upstream may send before the others are attached.
        guard rows.areComplete else { return .none }
        if outstanding.takeOne(), let row = rows.make() { return deliver(row) }
        if outstanding.isClosed { return .none }
        if isWaiting { counts?.drop() }
        isWaiting = true
        note(waiting: 1)
        return .none
    }

    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        rows.sides.reduce([.waitsForDemand, .sendsByItself]) { $0.intersection($1.traits) }
    }

    @usableFromInline package override func releaseValues() { rows.release() }

    @usableFromInline package func end(_ side: LatestSide, _ completion: Subscribers.Completion<Failure>) {
        end(side, completion) {
            living -= 1
            if !side.hasValue { giveUpRows() }
            finishIfDone()
        }
    }

    @usableFromInline func finishIfDone() {
        if !isWaiting, living == 0 { finish(.finished) }
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
    @usableFromInline package let conduit: LatestConduit<Row, Failure>

    @usableFromInline let value: LatestValue<Input>

    @inlinable init(_ combination: LatestConduit<Row, Failure>, _ value: LatestValue<Input>) {
        conduit = combination
        self.value = value
    }

    @inlinable package var side: LatestSide { value }

    @inlinable @inline(__always) package func take(_ input: Input) -> Subscribers.Demand {
        if conduit.isOver || value.hasEnded { return .none }
        value.latest = input
        return conduit.hasChanged(value)
    }
}
