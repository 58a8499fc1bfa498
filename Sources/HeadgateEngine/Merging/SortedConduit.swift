import HeadgateCore

/// Merges upstreams whose values are sorted, so that the result is sorted.
///
/// One value of each upstream waits in a heap. The least of them is delivered, and the next one is requested from its
/// upstream, but nothing is requested before there is demand for it.
@usableFromInline package final class SortedConduit<Output, Failure: Error>: JoiningConduit<Output, Failure>, Gathering
{
    @usableFromInline package typealias Input = Output

    @usableFromInline package typealias Side = SortedSide<Output>

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var sides = ContiguousArray<Side>()

    /// The sides with a waiting value.
    @exclusivity(unchecked) @usableFromInline var waiting = Heap<Side>()

    /// The sides from which a value is requested when there is demand.
    @exclusivity(unchecked) @usableFromInline var unrequested = Queue<Upstream>()

    /// How many sides have no waiting value and have not completed.
    @exclusivity(unchecked) @usableFromInline var lacking = 0

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
                publisher.receive(subscriber: SideInlet(conduit, side))
            }
        }
    }

    /// Delivers values as long as the next one is known, and requests the missing ones.
    @inlinable package func serve() {
        while !isOver {
            if lacking > 0 { return requestWhatIsMissing() }
            guard let next = waiting.first else { return finish(.finished) }
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
            if let subscription = side.subscription { return (.max(1), subscription) }
        }
        return nil
    }

    @inlinable package func connect(_ side: Side, to subscription: ConduitSubscription) -> Subscribers.Demand {
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
        guard lacking == 0, outstanding.takeOne() else {
            waiting.insert(side)
            requestWhatIsMissing()
            return .none
        }
        let next = waiting.leastAfterInserting(side)
        if let value = next.head.take() { _ = deliver(value) }
        if isOver { return .none }
        if next.hasEnded {
            serve()
            return .none
        }
        lacking += 1
        // Nothing else is missing, so nothing else uses up the demand.
        if next === side, outstanding.isPending { return .max(1) }
        unrequested.append(next)
        requestWhatIsMissing()
        return .none
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
        for side in exchange(&sides, with: []) {
            side.head = nil
            side.cancel()
        }
    }
}

/// One of the upstreams of a `SortedConduit`.
// Confined to the owner of the conduit's drain.
@usableFromInline package final class SortedSide<Value>: Upstream, Comparable {
    @usableFromInline let areInIncreasingOrder: (Value, Value) -> Bool

    /// The position in the list of publishers.
    @usableFromInline let position: Int

    /// The value that waits for its turn; constant while the side is in a heap.
    @exclusivity(unchecked) @usableFromInline var head: Value?

    @inlinable init(at position: Int, by areInIncreasingOrder: @escaping (Value, Value) -> Bool) {
        self.position = position
        self.areInIncreasingOrder = areInIncreasingOrder
        super.init()
    }

    @inlinable package static func == (one: SortedSide, other: SortedSide) -> Bool { one === other }

    /// Whether the value of a side comes first; of equal values, that of the side that comes first in the list.
    @inlinable package static func < (one: SortedSide, other: SortedSide) -> Bool {
        guard let first = one.head, let second = other.head else { return false }
        return one.position < other.position
            ? !one.areInIncreasingOrder(second, first) : one.areInIncreasingOrder(first, second)
    }
}
