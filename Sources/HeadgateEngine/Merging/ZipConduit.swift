import HeadgateCore

/// Makes rows of one value of each upstream.
///
/// The closure that makes a row determines the number of upstreams and what a row looks like. An upstream that waits
/// for demand and serves it immediately is requested one value at a time, in the order of the upstreams, so that none
/// is read further than the others reach. Demand is forwarded to all others as it arrives.
@usableFromInline package final class ZipConduit<Row, Failure: Error>: JoiningConduit<Row, Failure>, Answering {
    @usableFromInline package typealias Output = Row

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var sides: ContiguousArray<ZipSide> = []

    /// How many sides have no waiting value.
    @exclusivity(unchecked) @usableFromInline var lacking = 0

    /// Takes one value of each side.
    ///
    /// Released with the rest, because it retains the sides.
    @exclusivity(unchecked) @usableFromInline var makeRow: (() -> Row)?

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
        conduit.connect(subscriber) {
            conduit.makeRow = attach(conduit)
        } start: {
            conduit.pair()
        }
    }

    /// Subscribes to one more upstream.
    ///
    /// - Returns: Its side, for the row's closure to take values from.
    @inlinable package func side<P: Publisher>(_ publisher: P) -> ZipQueue<P.Output> where P.Failure == Failure {
        let side = ZipQueue<P.Output>()
        sides.append(side)
        lacking += 1
        publisher.receive(subscriber: ZipInlet(self, side))
        return side
    }

    @usableFromInline func connect(_ side: ZipSide, to subscription: ConduitSubscription) {
        guard side.connect(to: subscription, isWanted: !isOver) else { return }
        side.isRequestedOneByOne = subscription.traits.contains(.answersDemandAtOnce)
        if phase != .connecting { pair() }
    }

    /// Forwards new demand, and delivers the rows it was for.
    @usableFromInline package func serve() {
        if isOver { return }
        passOn(takeDemand())
        pair()
    }

    @inlinable func passOn(_ demand: Subscribers.Demand) {
        for side in sides where !side.hasEnded { side.unforwarded += demand }
    }

    /// Delivers the complete rows, and requests the missing values.
    @inlinable func pair() {
        while !isOver {
            if lacking > 0 { return requestWhatIsMissing() }
            // Values that arrive without demand wait.
            guard outstanding.takeOne(), let makeRow else { return }
            let row = makeRow()
            for side in sides { if side.take() { lacking += 1 } }
            let more = deliver(row)
            if more > .none { passOn(more) }
        }
    }

    /// Finishes if no further row is possible, otherwise requests values from the sides.
    @inlinable func requestWhatIsMissing() {
        var mayRead = true
        for side in sides {
            if side.count == 0, side.hasEnded { return finish(.finished) }
            if side.hasEnded { continue }
            if side.isRequestedOneByOne {
                guard mayRead, side.count == 0 else { continue }
                // The next side is read only if there is something to combine its value with.
                mayRead = false
                if side.isRequested || side.unforwarded == .none { continue }
                side.isRequested = true
                side.unforwarded -= 1
                request(.max(1), from: side.subscription)
            } else if side.unforwarded > .none, side.subscription != nil {
                request(exchange(&side.unforwarded, with: .none), from: side.subscription)
            }
        }
    }

    @usableFromInline func end(_ side: ZipSide, _ completion: Subscribers.Completion<Failure>) {
        if isOver || !side.end() { return }
        switch completion {
        case .finished: pair()
        case .failure: finish(completion)
        }
    }

    @usableFromInline package override var traits: SubscriptionTraits {
        sides.allSatisfy { $0.traits.contains(.waitsForDemand) } ? .waitsForDemand : []
    }

    @usableFromInline package override func releaseUpstreams() {
        makeRow = nil
        for side in exchange(&sides, with: []) { side.cancel() }
    }
}

/// One of the upstreams of a zip.
@usableFromInline package class ZipSide: Upstream {
    /// How many values wait for the other sides.
    @exclusivity(unchecked) @usableFromInline final var count = 0

    /// The demand for rows that has not been forwarded to this side.
    @exclusivity(unchecked) @usableFromInline final var unforwarded = Subscribers.Demand.none

    /// Whether one value at a time is requested from this side, which loses nothing by it.
    @exclusivity(unchecked) @usableFromInline final var isRequestedOneByOne = false

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
    @exclusivity(unchecked) @usableFromInline var queue = Queue<Value>()

    /// Removes and returns the oldest value, which must exist.
    @inlinable package func next() -> Value { queue.popFirst().unsafelyUnwrapped }
}

/// The subscriber to one of the upstreams of a zip.
@usableFromInline package struct ZipInlet<Input, Row, Failure: Error>: Inlet {
    @usableFromInline let zip: ZipConduit<Row, Failure>

    @usableFromInline let side: ZipQueue<Input>

    @inlinable init(_ zip: ZipConduit<Row, Failure>, _ side: ZipQueue<Input>) {
        self.zip = zip
        self.side = side
    }

    @inlinable package var conduit: DrainingConduit { zip }

    @inlinable package var upstream: ConduitSubscription? { side.subscription }

    @inlinable package func connect(to subscription: ConduitSubscription) -> Subscribers.Demand {
        zip.connect(side, to: subscription)
        return .none
    }

    @inlinable package func take(_ input: Input) -> Subscribers.Demand {
        if zip.isOver || side.hasEnded { return .none }
        side.isRequested = false
        side.queue.append(input)
        side.count += 1
        if side.count == 1 {
            zip.lacking -= 1
            zip.pair()
        }
        return .none
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) { zip.end(side, completion) }
}
