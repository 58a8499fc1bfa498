import HeadgateCore

/// Makes rows of one value of each upstream.
///
/// The closure that makes a row determines the number of upstreams and what a row looks like. An upstream whose values
/// wait for demand is requested from one value at a time, for the next row only, so that none is read further than a row
/// needs. Demand is forwarded to all others as it arrives.
@usableFromInline
package final class ZipConduit<Row, Failure: Error>: JoiningConduit<Row, Failure>, Joining {
    @usableFromInline package typealias Output = Row

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var rows = Rows<Row, ZipSide>()

    @inlinable package init(_ downstream: AnySubscriber<Row, Failure>) {
        super.init(name: "Zip", requestsInside: true, downstream, handle: ZipConduit.forwarding)
    }

    /// Attaches a subscriber to the rows.
    ///
    /// - Parameter attach: Subscribes to the upstreams through sides created by `side(_:)`, and returns the row's
    ///   closure.
    @inlinable package static func connect(
        to subscriber: some Subscriber<Row, Failure>, attach: (ZipConduit) -> (() -> Row)
    ) {
        let conduit = ZipConduit(AnySubscriber(subscriber))
        conduit.connect(subscriber) { conduit.rows.maker = conduit.counting(attach(conduit)) }
    }

    /// Subscribes to one more upstream.
    ///
    /// - Returns: Its side, for the row's closure to take values from.
    @inlinable package func side<P: Publisher>(_ publisher: P) -> ZipQueue<P.Output> where P.Failure == Failure {
        let side = ZipQueue<P.Output>()
        rows.add(side)
        publisher.receive(subscriber: ZipInlet(self, side))
        return side
    }

    @usableFromInline package func connect(
        _ side: ZipSide, to subscription: ConduitSubscription
    ) -> Subscribers.Demand {
        guard accept(subscription, of: side, if: !isOver) else { return .none }
        side.waits = subscription.traits.contains(.waitsForDemand)
        if !side.waits { return outstanding.current }
        if phase == .connected, !isDelivering { requestWhatIsMissing() }
        return .none
    }

    @usableFromInline package func forwardDemand() {
        if !isOver { forward(takeDemand()) }
    }

    /// Forwards new demand, and delivers the rows it was for.
    @usableFromInline package func serve() {
        if isOver { return }
        let demand = takeDemand()
        pair()
        if !isOver { forward(demand) }
    }

    @inlinable func forward(_ demand: Subscribers.Demand) {
        rows.sides.forEachInPlace { if !$0.waits { request(demand, from: $0) } }
    }

    /// Delivers the complete rows, then requests what the next one lacks.
    @inlinable func pair() {
        while !isOver, rows.areComplete {
            if rows.lacking > 0 { return requestWhatIsMissing() }
            // Values that arrive without demand wait.
            guard outstanding.takeOne(), let row = rows.make() else { return note(waiting: waitingCount) }
            rows.sides.forEachInPlace { if $0.take() { rows.lacking += 1 } }
            let more = deliver(row)
            if more > .none { forward(more) }
        }
    }

    /// Has the closure that makes a row count its values as taken, if a stage of a flow downstream looks at that.
    @inlinable func counting(_ make: @escaping () -> Row) -> () -> Row {
        guard let counts else { return make }
        return { [unowned(unsafe) self] in
            counts.note(waiting: waitingCount - rows.sides.count)
            return make()
        }
    }

    /// How many values wait on all sides.
    @usableFromInline var waitingCount: Int { rows.sides.reduce(0) { $0 + Int($1.count) } }

    /// Finishes if no further row is possible, otherwise requests values from the sides that wait for demand.
    @inlinable func requestWhatIsMissing() {
        if !rows.sides.allSatisfyInPlace({ !$0.hasEnded || $0.count > 0 }) { return finish(.finished) }
        if !outstanding.isPending { return }
        rows.sides.forEachInPlace { side in
            if side.waits, side.count == 0, !side.isRequested, side.subscription != nil {
                side.isRequested = true
                request(.max(1), from: side)
            }
        }
    }

    @usableFromInline package func end(_ side: ZipSide, _ completion: Subscribers.Completion<Failure>) {
        end(side, completion) {
            if side.count == 0 { finish(.finished) }
        }
    }

    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        rows.sides.reduce([.waitsForDemand, .sendsByItself]) { $0.intersection($1.traits) }
    }

    @usableFromInline package override func releaseValues() { rows.release() }
}

/// One of the upstreams of a zip.
// Confined to the owner of the conduit's drain.
@usableFromInline package class ZipSide: Upstream {
    /// Whether its values wait for demand: they are requested one by one.
    @exclusivity(unchecked) @usableFromInline final var waits = false

    /// How many values wait for the other sides.
    @exclusivity(unchecked) @usableFromInline final var count: UInt32 = 0

    /// Subtracts a value from the count.
    ///
    /// - Returns: Whether that was the last.
    @inlinable final func take() -> Bool {
        count -= 1
        return count == 0
    }
}

/// The values of one upstream of a zip that wait for those of the others.
@usableFromInline package final class ZipQueue<Value>: ZipSide {
    // Most often there is one, which takes no ring.
    @exclusivity(unchecked) @usableFromInline var first: Value?

    @exclusivity(unchecked) @usableFromInline var others = Queue<Value>()

    /// Adds a value.
    ///
    /// - Returns: Whether it is the first.
    @inlinable @inline(__always) func add(_ value: Value) -> Bool {
        if count == 0 { first = value } else { others.append(value) }
        count += 1
        return count == 1
    }

    /// Removes and returns the oldest value, which must exist.
    @inlinable package func next() -> Value { (first.take() ?? others.popFirst()).unsafelyUnwrapped }
}

/// The subscriber to one of the upstreams of a zip.
@usableFromInline package struct ZipInlet<Input, Row, Failure: Error>: Inlet {
    @usableFromInline package let conduit: ZipConduit<Row, Failure>

    @usableFromInline let queue: ZipQueue<Input>

    @inlinable init(_ zip: ZipConduit<Row, Failure>, _ queue: ZipQueue<Input>) {
        conduit = zip
        self.queue = queue
    }

    @inlinable package var side: ZipSide { queue }

    @inlinable package func take(_ input: Input) -> Subscribers.Demand {
        if conduit.isOver || queue.hasEnded { return .none }
        queue.isRequested = false
        if queue.add(input) {
            conduit.rows.lacking -= 1
            if conduit.rows.lacking == 0 {
                conduit.pair()
                return .none
            }
        }
        conduit.note(waiting: conduit.waitingCount)
        return .none
    }
}
