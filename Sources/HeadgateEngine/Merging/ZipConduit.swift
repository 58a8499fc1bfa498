import HeadgateCore

/// Makes rows of one value of each upstream.
///
/// How many upstreams there are, and what a row looks like, is up to the closure that makes one. An upstream that waits
/// for demand and answers it at once is requested one value at a time, in the order of the upstreams, so that none is read
/// further than the others go. All others are passed the demand as it comes.
@usableFromInline package final class ZipConduit<Row, Failure: Error>: JoiningConduit<Row, Failure>, Answering {
    @usableFromInline package typealias Output = Row

    // The members below are only touched by the drain's owner, hence unchecked.
    @exclusivity(unchecked) @usableFromInline var sides: ContiguousArray<ZipSide> = []

    /// How many sides have no value that waits.
    @exclusivity(unchecked) @usableFromInline var lacking = 0

    /// Takes one value of each side.
    ///
    /// Released with the rest, because it retains the sides.
    @exclusivity(unchecked) @usableFromInline var makeRow: (() -> Row)?

    @inlinable package init(_ downstream: AnySubscriber<Row, Failure>) {
        super.init(name: "Zip", requestsInside: true, downstream, handle: ZipConduit.forwarding)
    }

    /// Connects a subscriber to the rows.
    ///
    /// - Parameter attach: Subscribes to the upstreams through sides that `side(_:)` makes, and answers how to make a row.
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
    /// - Returns: Its side, for the closure that makes rows to take values from.
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

    /// Passes new demand on, and delivers what it was for.
    @usableFromInline package func serve() {
        if isOver { return }
        passOn(takeDemand())
        pair()
    }

    @inlinable func passOn(_ demand: Subscribers.Demand) {
        for side in sides where !side.hasEnded { side.credit += demand }
    }

    /// Delivers the rows that are complete, and requests what is missing.
    @inlinable func pair() {
        while !isOver {
            if lacking > 0 { return requestWhatIsMissing() }
            // What comes unrequested waits.
            guard outstanding.takeOne(), let makeRow else { return }
            let row = makeRow()
            for side in sides { if side.take() { lacking += 1 } }
            let more = deliver(row)
            if more > .none { passOn(more) }
        }
    }

    /// Finishes if no row can come any more, or else requests values from the sides.
    @inlinable func requestWhatIsMissing() {
        var mayRead = true
        for side in sides {
            if side.count == 0, side.hasEnded { return finish(.finished) }
            if side.hasEnded { continue }
            if side.isRequestedOneByOne {
                guard mayRead, side.count == 0 else { continue }
                // The next one is read only if there is something to go with its value.
                mayRead = false
                if side.isRequested || side.credit == .none { continue }
                side.isRequested = true
                side.credit -= 1
                request(.max(1), from: side.subscription)
            } else if side.credit > .none, side.subscription != nil {
                request(exchange(&side.credit, with: .none), from: side.subscription)
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
    /// How many values have come and wait for the other sides.
    @exclusivity(unchecked) @usableFromInline final var count = 0

    /// The demand for rows that has not been passed on to this side.
    @exclusivity(unchecked) @usableFromInline final var credit = Subscribers.Demand.none

    /// Whether this side is to be requested one value at a time, by which it loses nothing.
    @exclusivity(unchecked) @usableFromInline final var isRequestedOneByOne = false

    /// Counts a value less.
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

    /// Takes out the oldest value, of which there has to be one.
    @inlinable package func next() -> Value { queue.popFirst().unsafelyUnwrapped }
}

/// What subscribes to one of the upstreams of a zip.
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
