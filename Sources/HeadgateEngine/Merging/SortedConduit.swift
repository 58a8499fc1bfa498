import HeadgateCore
import Synchronization

/// Merges upstreams whose values are sorted, so that the result is sorted.
///
/// One value of each upstream waits in a heap. The least of them is delivered, and the next one is requested from its
/// upstream, but nothing is requested before there is demand for it. An upstream that answers at once is pulled: it is
/// requested from inside the drain, and its value is stored without a turn of its own.
@usableFromInline package final class SortedConduit<Output, Failure: Error>: JoiningConduit<Output, Failure>, Gathering
{
    @usableFromInline package typealias Input = Output

    @usableFromInline package typealias Side = SortedSide<Output>

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var sides = ContiguousArray<Side>()

    /// The sides with a waiting value.
    @exclusivity(unchecked) @usableFromInline var waiting = Heap<WaitingSide<Output>>()

    /// The sides from which a value is requested when there is demand.
    @exclusivity(unchecked) @usableFromInline var unrequested = Queue<Upstream>()

    /// How many sides have no waiting value and have not completed.
    @exclusivity(unchecked) @usableFromInline var lacking = 0

    /// The side that is being pulled.
    @exclusivity(unchecked) @usableFromInline var pulled: Unmanaged<Side>?

    /// The completion of that side.
    @exclusivity(unchecked) @usableFromInline var pulledEnd: Subscribers.Completion<Failure>?

    @inlinable init(_ downstream: AnySubscriber<Output, Failure>) {
        super.init(name: "MergeSorted", downstream, handle: SortedConduit.serving)
    }

    /// Attaches a subscriber to the values of publishers, in order.
    @inlinable package static func connect<Source: Publisher<Output, Failure>>(
        _ publishers: [Source], by areInIncreasingOrder: @escaping (Output, Output) -> Bool,
        to subscriber: some Subscriber<Output, Failure>
    ) {
        let conduit = SortedConduit(AnySubscriber(subscriber))
        conduit.connect(subscriber) {
            conduit.sides = ContiguousArray(publishers.indices.map { Side(at: $0, by: areInIncreasingOrder) })
            conduit.lacking = publishers.count
            for (publisher, side) in zip(publishers, conduit.sides) where conduit.earlyEnd == nil {
                publisher.receive(subscriber: SortedInlet(conduit, side))
            }
        }
    }

    /// Delivers values as long as the next one is known, and requests the missing ones.
    @inlinable package func serve() {
        while !isOver {
            if lacking > 0 { return requestWhatIsMissing() }
            guard let next = waiting.first?.side.takeUnretainedValue() else { return finish(.finished) }
            guard outstanding.takeOne() else { return }
            waiting.removeFirst()
            guard let value = next.head.take() else { return }
            if !next.hasEnded {
                lacking += 1
                unrequested.append(next)
            }
            _ = deliver(value)
        }
    }

    @inlinable func requestWhatIsMissing() {
        // By choice: until a request is made, its side may end, and the values of the others use up the demand.
        if !unrequested.isEmpty, outstanding.isPending { requestByChoice() }
    }

    @usableFromInline package override func nextRequest() -> (
        demand: Subscribers.Demand, upstream: ConduitSubscription
    )? {
        while outstanding.isPending, let side = unrequested.popFirst() {
            guard let subscription = side.subscription else { continue }
            // Or else each value that arrives inside the request would look whether there is something to request.
            hasChoice = !unrequested.isEmpty
            return (.max(1), subscription)
        }
        return nil
    }

    @inlinable package func connect(_ side: Side, to subscription: ConduitSubscription) -> Subscribers.Demand {
        side.answersAtOnce = subscription.traits.contains(.answersDemandAtOnce)
        if side.connect(to: subscription, isWanted: !isOver) {
            unrequested.append(side)
            if phase == .connected { serve() }
        }
        return .none
    }

    @inlinable package func take(_ value: Output, from side: Side) -> Subscribers.Demand {
        if isOver || side.hasEnded || side.head != nil { return .none }
        side.head = value
        lacking -= 1
        if lacking == 0 { return advance(after: side) }
        waiting.insert(WaitingSide(side))
        requestWhatIsMissing()
        return .none
    }

    /// Delivers values as long as each side has one.
    ///
    /// - Parameter side: The side whose value has arrived last, the only one that isn't in the heap.
    /// - Returns: The demand to return to that side.
    @inlinable @inline(__always) func advance(after side: Side) -> Subscribers.Demand {
        var latest = WaitingSide(side)
        while outstanding.takeOne() {
            let next = waiting.leastAfterInserting(latest)
            let progress = next.side._withUnsafeGuaranteedRef { next -> Progress in
                if let value = next.head.take() { _ = deliver(value) }
                if pulledEnd != nil { endPulled(latest) }
                if isOver { return .stopped }
                if next.hasEnded {
                    serve()
                    return .stopped
                }
                lacking += 1
                // Nothing else is missing, so nothing else uses up the demand.
                if next === side, outstanding.isPending { return .answered }
                return pull(next) ? .pulled : .stopped
            }
            switch progress {
            case .pulled: latest = next
            case .answered: return .max(1)
            case .stopped: return .none
            }
        }
        waiting.insert(latest)
        if pulledEnd != nil { endPulled(latest) }
        return .none
    }

    /// Requests the next value of a side, the only one that is missing.
    ///
    /// - Returns: Whether it has arrived, because the side answers at once.
    @inlinable @inline(__always) func pull(_ side: Side) -> Bool {
        // Others that wait for the drain have to be let in: one of them may end the stream.
        guard side.answersAtOnce, outstanding.isPending, isUndisturbed, let subscription = side.subscription else {
            unrequested.append(side)
            requestWhatIsMissing()
            return false
        }
        pulled = Unmanaged.passUnretained(side)
        subscription.request(.max(1))
        pulled = nil
        lacking = side.head == nil ? 1 : 0
        if lacking == 0 { return true }
        // If it hasn't ended, another thread is delivering its value, which then takes its turn.
        if pulledEnd != nil {
            endPulled(WaitingSide(side))
            if !isOver {
                lacking = 0
                serve()
            }
        }
        return false
    }

    /// Whether nothing is enqueued for the drain's owner, and no caller sleeps until it leaves.
    @inlinable var isUndisturbed: Bool { drain.state.load(ordering: .relaxed) == Drain.owned }

    /// Handles the completion of a side that has been pulled, after its last value.
    @inlinable @inline(never) func endPulled(_ waiting: WaitingSide<Output>) {
        guard let completion = pulledEnd.take() else { return }
        // Retained, because a cancelled stream releases its sides here.
        let side = waiting.side.takeUnretainedValue()
        end(side, completion) {}
    }

    /// Whether the caller is inside the request by which a side is pulled.
    // The owner is tested first: what is pulled belongs to it.
    @inlinable @inline(__always) func isPulling(_ side: Side) -> Bool {
        drain.isOwnedByCaller && pulled?.toOpaque() == Unmanaged.passUnretained(side).toOpaque()
    }

    @inlinable package func end(_ side: Side, _ completion: Subscribers.Completion<Failure>) {
        end(side, completion) {
            if side.head == nil { lacking -= 1 }
            if phase == .connected || lacking == 0 { serve() }
        }
    }

    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        sides.reduce(.waitsForDemand) { $0.intersection($1.traits) }
    }

    @usableFromInline package override func releaseUpstreams() {
        waiting = Heap()
        unrequested = Queue()
        pulledEnd = nil
        for side in exchange(&sides, with: []) {
            side.head = nil
            side.cancel()
        }
    }
}

/// How a `SortedConduit` goes on after a value.
@usableFromInline enum Progress {
    /// The next value has been pulled.
    case pulled
    /// It is requested by returning demand.
    case answered
    case stopped
}

/// The subscriber to one of the sides: it stores what the conduit pulls, and takes its turn with everything else.
@usableFromInline package struct SortedInlet<Input, Failure: Error>: Subscriber {
    @usableFromInline let inlet: SideInlet<SortedConduit<Input, Failure>>

    @inlinable init(_ host: SortedConduit<Input, Failure>, _ side: SortedSide<Input>) {
        inlet = SideInlet(host, side)
    }

    @inlinable package var combineIdentifier: CombineIdentifier { inlet.combineIdentifier }

    @inlinable package func receive(subscription: any Subscription) { inlet.receive(subscription: subscription) }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        if !inlet.conduit.isPulling(inlet.side) { return inlet.receive(input) }
        if inlet.side.head == nil { inlet.side.head = input }
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if inlet.conduit.isPulling(inlet.side) {
            inlet.conduit.pulledEnd = completion
        } else {
            inlet.receive(completion: completion)
        }
    }
}

/// A side with a waiting value, which the list of sides retains.
@usableFromInline package struct WaitingSide<Value>: Comparable {
    @usableFromInline let side: Unmanaged<SortedSide<Value>>

    @inlinable init(_ side: SortedSide<Value>) { self.side = Unmanaged.passUnretained(side) }

    @inlinable package static func == (one: WaitingSide, other: WaitingSide) -> Bool {
        one.side.toOpaque() == other.side.toOpaque()
    }

    /// Whether the value of a side comes first.
    @inlinable package static func < (one: WaitingSide, other: WaitingSide) -> Bool {
        one.side._withUnsafeGuaranteedRef { one in other.side._withUnsafeGuaranteedRef { one.isBefore($0) } }
    }
}

/// One of the upstreams of a `SortedConduit`.
// Confined to the owner of the conduit's drain.
@usableFromInline package final class SortedSide<Value>: Upstream {
    @usableFromInline let areInIncreasingOrder: (Value, Value) -> Bool

    /// The position in the list of publishers.
    @usableFromInline let position: Int

    /// The value that waits for its turn; constant while the side is in a heap.
    @exclusivity(unchecked) @usableFromInline var head: Value?

    /// Whether it sends what is requested before the request returns, as far as that is known.
    @exclusivity(unchecked) @usableFromInline var answersAtOnce = false

    @inlinable init(at position: Int, by areInIncreasingOrder: @escaping (Value, Value) -> Bool) {
        self.position = position
        self.areInIncreasingOrder = areInIncreasingOrder
        super.init()
    }

    /// Whether the value of this side comes first; of equal values, that of the side that comes first in the list.
    @inlinable func isBefore(_ other: SortedSide) -> Bool {
        guard let first = head, let second = other.head else { return false }
        return position < other.position
            ? !areInIncreasingOrder(second, first) : areInIncreasingOrder(first, second)
    }
}
