import HeadgateCore
import HeadgateThread
import Synchronization

/// Makes rows of one value of each upstream.
///
/// The closure that makes a row determines the number of upstreams and what a row looks like. An upstream that waits
/// for demand and serves it immediately is read: a loop outside the drain requests one value at a time, in the order of
/// the upstreams, so that none is read further than the others reach. Demand is forwarded to all others as it arrives.
@usableFromInline
package final class ZipConduit<Row, Failure: Error>: RowConduit<Row, ZipSide, Failure>, Answering {
    // Confined to the drain's owner.
    /// Reads the sides that are due.
    @exclusivity(unchecked) @usableFromInline var reader: ConduitSubscription?

    /// Whether there are sides to be read.
    @exclusivity(unchecked) @usableFromInline var hasReadable = false

    /// Whether a loop is reading.
    @exclusivity(unchecked) @usableFromInline var isReading = false

    /// The thread that is reading a value now.
    @usableFromInline let readingThread = Atomic<UInt>(0)

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
        conduit.connect(subscriber) { conduit.maker = RowMaker(attach(conduit)) }
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
        if subscription.traits.contains(.answersDemandAtOnce) {
            side.makeReadable()
            hasReadable = true
            if phase != .connecting { pair() }
        } else {
            request(side.takeUnforwarded(), from: subscription)
        }
    }

    /// Forwards new demand, and delivers the rows it was for.
    @usableFromInline package func serve() {
        if isOver { return }
        forward(takeDemand())
        pair()
    }

    @inlinable func forward(_ demand: Subscribers.Demand) {
        for side in sides where !side.hasEnded { side.unforwarded += demand }
    }

    /// Delivers the complete rows, and requests the missing values.
    @inlinable func pair() {
        if !advance(sides, reads: false) { return }
        let reader = self.reader ?? ZipReader(self, sides)
        self.reader = reader
        request(.max(1), from: reader)
    }

    /// Delivers the complete rows, and requests the missing values that need not be read.
    ///
    /// - Parameter reads: Whether the caller is going to read.
    /// - Returns: Whether there is something to read; if the caller is going to, it is due then.
    @inlinable func advance(_ sides: ContiguousArray<ZipSide>, reads: Bool) -> Bool {
        while !isOver {
            if lacking > 0 { return requestWhatIsMissing(sides, reads: reads) }
            // Values that arrive without demand wait.
            guard outstanding.takeOne(), let row = makeRow() else { return false }
            sides.forEachInPlace { side in
                if side.take() { lacking += 1 }
            }
            let more = deliver(row)
            if more > .none { forward(more) }
        }
        return false
    }

    /// Finishes if no further row is possible, otherwise requests values from the sides.
    @inlinable @inline(__always)
    func requestWhatIsMissing(_ sides: ContiguousArray<ZipSide>, reads: Bool) -> Bool {
        var isPossible = true
        // The next side is read only if there is something to combine its value with.
        var mayRead = !isReading
        var canRead = false
        sides.forEachInPlace { side in
            if side.hasEnded {
                if side.count == 0, !side.isDue { isPossible = false }
            } else if !side.isReadable {
                if side.unforwarded > .none, side.subscription != nil {
                    request(side.takeUnforwarded(), from: side.subscription)
                }
            } else if side.count == 0 {
                if side.isRequested || side.unforwarded == .none { mayRead = false }
                if mayRead {
                    canRead = true
                    if reads { side.makeDue() }
                }
            }
        }
        if !isPossible {
            finish(.finished)
            return false
        }
        if !canRead || !reads { return canRead }
        // An upstream that serves a request forever must not find another one waiting to be read by its caller.
        isReading = !hasSlowRequests
        if !isReading { add(sides) }
        return isReading
    }

    /// Reads one value of each side that is due, in order, until one of them has none, as long as there are any.
    ///
    /// Called outside the drain, because reading may take long. Of several callers, one reads.
    @inlinable func read(_ sides: ContiguousArray<ZipSide>) {
        var isDue = false
        var goesOn = true
        while goesOn {
            if isDue {
                readingThread.store(headgate_thread(), ordering: .relaxed)
                _ = sides.allSatisfyInPlace { !$0.isDue || !outstanding.isClosed && $0.read() }
                readingThread.store(0, ordering: .relaxed)
            }
            guard takeTurn() else {
                return postpone { [isDue] in
                    if isDue { self.add(sides) }
                    self.pair()
                }
            }
            if isDue { add(sides) }
            isDue = advance(sides, reads: true)
            if !isDue, !isReading {
                // What was requested from inside the deliveries is read by this loop, so that the stack stays flat.
                isReading = true
                performWhatWaits()
                isReading = false
                isDue = advance(sides, reads: true)
            }
            goesOn = isDue || hasSlowRequests
            leave()
        }
    }

    /// Whether the calling thread is reading: what is confined to the caller that reads is its own.
    @inlinable @inline(__always) var isReadByCaller: Bool {
        readingThread.load(ordering: .relaxed) == headgate_thread()
    }

    /// Counts the values that have been read.
    @inlinable @inline(__always) func add(_ sides: ContiguousArray<ZipSide>) {
        isReading = false
        sides.forEachInPlace { side in
            if side.isDue, side.addRead() { lacking -= 1 }
        }
    }

    @usableFromInline func end(_ side: ZipSide, _ completion: Subscribers.Completion<Failure>) {
        // While a value is due, the caller that reads looks for itself. A side whose values wait holds nothing up.
        end(side, completion) {
            if side.count == 0, !side.isDue { finish(.finished) }
        }
    }

    @usableFromInline package override var traitsByUpstreams: SubscriptionTraits {
        sides.allSatisfy { $0.traits.contains(.waitsForDemand) } ? .waitsForDemand : []
    }

    @usableFromInline package override func releaseUpstreams() {
        reader = nil
        super.releaseUpstreams()
    }
}

/// Makes a zip read the sides that are due, as a subscription that is requested like an upstream.
@usableFromInline final class ZipReader<Row, Failure: Error>: ConduitSubscription, SignalHandling {
    @usableFromInline let zip: ZipConduit<Row, Failure>

    @usableFromInline let sides: ContiguousArray<ZipSide>

    @inlinable init(_ zip: ZipConduit<Row, Failure>, _ sides: ContiguousArray<ZipSide>) {
        self.zip = zip
        self.sides = sides
        super.init(handle: ZipReader.handling)
    }

    @inlinable func handleRequest(_ demand: Subscribers.Demand) { zip.read(sides) }

    @inlinable func handleCancel() {}
}

/// One of the upstreams of a zip.
@usableFromInline package class ZipSide: DemandedUpstream {
    @usableFromInline enum Reading {
        case notBegun
        case begun
        case done
        /// More than one value has arrived, against the contract; none of them was kept for the reader.
        case exceeded
    }

    /// Whether one value at a time is requested from this side, which loses nothing by it.
    @exclusivity(unchecked) @usableFromInline final var isReadable = false

    /// Whether a value is due to be read outside the drain.
    @exclusivity(unchecked) @usableFromInline final var isDue = false

    /// How many values wait for the other sides.
    @exclusivity(unchecked) @usableFromInline final var count: UInt32 = 0

    // Confined to the caller that reads, while a value is due.
    @exclusivity(unchecked) @usableFromInline final var reading = Reading.notBegun

    /// The subscription to read from, which moves to the reader and back.
    @exclusivity(unchecked) @usableFromInline final var source: ConduitSubscription?

    @inlinable final func makeReadable() {
        isReadable = true
        source = subscription
    }

    /// Reserves demand for a value to be read.
    @inlinable final func makeDue() {
        isRequested = true
        unforwarded -= 1
        isDue = true
        reading = .notBegun
    }

    /// Reads a value.
    ///
    /// - Returns: Whether there was one.
    @inlinable @inline(__always) final func read() -> Bool {
        guard let source = source.take() else { return false }
        reading = .begun
        source.request(.max(1))
        self.source = source
        return reading == .done
    }

    /// Counts the value that was due, if it has been read, and returns the demand if it was not requested.
    ///
    /// - Returns: Whether it is the first.
    @inlinable @inline(__always) final func addRead() -> Bool {
        isDue = false
        switch reading {
        case .notBegun:
            isRequested = false
            unforwarded += 1
        case .begun, .exceeded: reading = .notBegun
        case .done:
            isRequested = false
            count += 1
            return count == 1
        }
        return false
    }

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
    /// The oldest value, except while one is due to be read, which is put here.
    @exclusivity(unchecked) @usableFromInline var first: Value?

    @exclusivity(unchecked) @usableFromInline var others = Queue<Value>()

    /// Adds a value.
    ///
    /// - Returns: Whether it is the first.
    @inlinable func add(_ value: Value) -> Bool {
        if count == 0, !isDue { first = value } else { others.append(value) }
        count += 1
        return count == 1
    }

    /// Takes back the value that has been read and not counted, because another one has arrived.
    @usableFromInline func takeBackRead() -> Value? {
        if reading != .done { return nil }
        reading = .exceeded
        return first.take()
    }

    /// Removes and returns the oldest value, which must exist.
    @inlinable package func next() -> Value {
        if !isDue, let first = first.take() { return first }
        return others.popFirst().unsafelyUnwrapped
    }
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

    @inlinable @inline(__always) package func receive(_ input: Input) -> Subscribers.Demand {
        guard zip.isReadByCaller, side.reading == .begun else { return receiveUnread(input) }
        side.first = input
        side.reading = .done
        return .none
    }

    @inlinable @inline(never) func receiveUnread(_ input: Input) -> Subscribers.Demand {
        // Values stay in order even if an upstream sends more than was requested.
        if zip.isReadByCaller, let read = side.takeBackRead() { _ = takeInTurn(read) }
        return takeInTurn(input)
    }

    @inlinable package func take(_ input: Input) -> Subscribers.Demand {
        if zip.isOver || side.hasEnded { return .none }
        side.isRequested = false
        if side.add(input) {
            zip.lacking -= 1
            // Where no side is read, a value can only complete a row.
            if zip.lacking == 0 || zip.hasReadable { zip.pair() }
        }
        return .none
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) { zip.end(side, completion) }
}
