import HeadgateCore
import HeadgateThread
import Synchronization

/// Makes rows of one value of each upstream.
///
/// The closure that makes a row determines the number of upstreams and what a row looks like. An upstream that waits
/// for demand and serves it immediately is read: a loop outside the drain requests one value at a time, in the order of
/// the upstreams, so that none is read further than the others reach. Demand is forwarded to all others as it arrives.
@usableFromInline
package final class ZipConduit<Row, Failure: Error>: JoiningConduit<Row, Failure>, Joining {
    @usableFromInline package typealias Output = Row

    @usableFromInline enum Reading {
        /// No side is to be read.
        case never
        case paused
        /// A loop is reading.
        case underWay
    }

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var rows = Rows<Row, ZipSide>()

    /// Reads the sides that are due.
    @exclusivity(unchecked) @usableFromInline var reader: Upstream?

    @exclusivity(unchecked) @usableFromInline var reading = Reading.never

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
        conduit.connect(subscriber) { conduit.rows.maker = attach(conduit) }
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
        guard side.connect(to: subscription, isWanted: !isOver) else { return .none }
        if subscription.traits.contains(.answersDemandAtOnce) {
            side.makeReadable()
            if reading == .never { reading = .paused }
            if phase == .connected { pair() }
        } else {
            return exchange(&side.unforwarded, with: .none)
        }
        return .none
    }

    /// Forwards new demand, and delivers the rows it was for.
    @usableFromInline package func serve() {
        if isOver { return }
        forward(takeDemand())
        pair()
    }

    @inlinable func forward(_ demand: Subscribers.Demand) {
        for side in rows.sides where !side.hasEnded { side.unforwarded += demand }
    }

    /// Delivers the complete rows, and requests the missing values.
    @inlinable func pair() {
        if !advance(rows.sides, reads: false) { return }
        if reader == nil {
            reader = Upstream()
            reader?.subscription = ZipReader(self, rows.sides)
        }
        if let reader { request(.max(1), from: reader) }
    }

    /// Delivers the complete rows, and requests the missing values that need not be read.
    ///
    /// - Parameter reads: Whether the caller is going to read.
    /// - Returns: Whether there is something to read; if the caller is going to, it is due then.
    @inlinable func advance(_ sides: ContiguousArray<ZipSide>, reads: Bool) -> Bool {
        while !isOver {
            if rows.lacking > 0 { return requestWhatIsMissing(sides, reads: reads) }
            // Values that arrive without demand wait.
            guard outstanding.takeOne(), let row = rows.make() else { return false }
            sides.forEachInPlace { side in
                if side.take() { rows.lacking += 1 }
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
        var mayRead = reading != .underWay
        var canRead = false
        sides.forEachInPlace { side in
            if side.hasEnded {
                if side.count == 0, !side.isDue { isPossible = false }
            } else if side.turn == .forwarding {
                if side.unforwarded > .none, side.subscription != nil {
                    request(exchange(&side.unforwarded, with: .none), from: side)
                }
            } else if side.count == 0 {
                if side.turn != .idle || side.unforwarded == .none { mayRead = false }
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
        reading = .underWay
        if leavesSlowly.load(ordering: .relaxed), !due.isEmpty { add(sides) }
        return reading == .underWay
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
            if !isDue, reading == .paused {
                // What was requested from inside the deliveries is read by this loop, so that the stack stays flat.
                reading = .underWay
                drain.performWhatWaits()
                reading = .paused
                isDue = advance(sides, reads: true)
            }
            goesOn = isDue || leavesSlowly.load(ordering: .relaxed) && !due.isEmpty
            leave()
        }
    }

    /// Whether the calling thread is reading: what is confined to the caller that reads is its own.
    @inlinable @inline(__always) var isReadByCaller: Bool {
        readingThread.load(ordering: .relaxed) == headgate_thread()
    }

    /// Counts the values that have been read.
    @inlinable @inline(__always) func add(_ sides: ContiguousArray<ZipSide>) {
        reading = .paused
        sides.forEachInPlace { side in
            if side.isDue, side.addRead() { rows.lacking -= 1 }
        }
    }

    @usableFromInline package func end(_ side: ZipSide, _ completion: Subscribers.Completion<Failure>) {
        // While a value is due, the caller that reads looks for itself. A side whose values wait holds nothing up.
        end(side, completion) {
            if side.count == 0, !side.isDue { finish(.finished) }
        }
    }

    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        rows.sides.allSatisfy { $0.traits.contains(.waitsForDemand) } ? .waitsForDemand : []
    }

    @usableFromInline package override func releaseUpstreams() {
        reader = nil
        rows.release()
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
@usableFromInline package class ZipSide: Upstream {
    /// How the drain's owner requests from this side.
    @usableFromInline enum Turn: UInt8 {
        /// Demand is forwarded as it arrives.
        case forwarding
        /// The next value may be read: one at a time is requested from this side, which loses nothing by it.
        case idle
        /// A value has been requested, and has not arrived.
        case requested
        /// A value is due to be read outside the drain.
        case due
        /// A value is due to be read, and one has arrived otherwise.
        case dueAndAnswered
    }

    /// How far the caller that reads outside the drain has come.
    @usableFromInline enum Reading {
        case notBegun
        case begun
        case done
        /// More than one value has arrived, against the contract; none of them was kept for the reader.
        case exceeded
    }

    /// The demand that has not been forwarded to this side.
    @exclusivity(unchecked) @usableFromInline final var unforwarded = Subscribers.Demand.none

    @exclusivity(unchecked) @usableFromInline final var turn = Turn.forwarding

    /// How many values wait for the other sides.
    @exclusivity(unchecked) @usableFromInline final var count: UInt32 = 0

    // Confined to the caller that reads, while a value is due.
    @exclusivity(unchecked) @usableFromInline final var reading = Reading.notBegun

    /// The subscription to read from, which stays when the drain's owner releases its own.
    @exclusivity(unchecked) @usableFromInline final var source: ConduitSubscription?

    /// Whether a value is due to be read.
    @inlinable @inline(__always) final var isDue: Bool { turn.rawValue >= Turn.due.rawValue }

    @inlinable final func makeReadable() {
        turn = .idle
        source = subscription
    }

    /// Reserves demand for a value to be read.
    @inlinable final func makeDue() {
        turn = .due
        unforwarded -= 1
        reading = .notBegun
    }

    /// Records that a value has arrived that was not read.
    @inlinable @inline(__always) final func answer() {
        if turn == .requested { turn = .idle } else if turn == .due { turn = .dueAndAnswered }
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
        let isUnanswered = turn == .due
        turn = .idle
        switch reading {
        case .notBegun: unforwarded += 1
        case .begun, .exceeded:
            if isUnanswered { turn = .requested }
            reading = .notBegun
        case .done:
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
    @inlinable @inline(__always) func add(_ value: Value) -> Bool {
        if count > 0 || isDue { others.append(value) } else { first = value }
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
    @usableFromInline package let conduit: ZipConduit<Row, Failure>

    @usableFromInline let queue: ZipQueue<Input>

    @inlinable init(_ zip: ZipConduit<Row, Failure>, _ queue: ZipQueue<Input>) {
        conduit = zip
        self.queue = queue
    }

    @inlinable package var side: ZipSide { queue }

    @inlinable @inline(__always) package func receive(_ input: Input) -> Subscribers.Demand {
        if !conduit.isReadByCaller { return receiveUnread(input) }
        if queue.reading != .begun { return receiveMore(input) }
        queue.first = input
        queue.reading = .done
        return .none
    }

    @inlinable @inline(never) func receiveUnread(_ input: Input) -> Subscribers.Demand { takeInTurn(input) }

    /// Receives more than was requested, while a value is being read: values stay in order even then.
    @inlinable @inline(never) func receiveMore(_ input: Input) -> Subscribers.Demand {
        if let read = queue.takeBackRead() { _ = receiveUnread(read) }
        return receiveUnread(input)
    }

    @inlinable package func take(_ input: Input) -> Subscribers.Demand {
        if conduit.isOver || queue.hasEnded { return .none }
        if queue.turn != .forwarding { queue.answer() }
        if queue.add(input) {
            conduit.rows.lacking -= 1
            // Where no side is read, a value can only complete a row.
            if conduit.rows.lacking == 0 || conduit.reading != .never { conduit.pair() }
        }
        return .none
    }
}
