import HeadgateCore

/// Merges upstreams whose values are sorted, so that the result is sorted.
///
/// One value of each upstream waits. The least of them is delivered, and the next one is requested from its upstream,
/// but nothing is requested before there is demand for it.
@usableFromInline package final class SortedConduit<Output, Failure: Error>: JoiningConduit<Output, Failure>, Gathering
{
    @usableFromInline package typealias Input = Output

    @usableFromInline let areInIncreasingOrder: (Output, Output) -> Bool

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var sides = ContiguousArray<SortedSide<Output>>()

    /// How many sides have no waiting value and have not completed.
    @exclusivity(unchecked) @usableFromInline var lacking = 0

    @inlinable init(
        by areInIncreasingOrder: @escaping (Output, Output) -> Bool, _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.areInIncreasingOrder = areInIncreasingOrder
        super.init(name: "MergeSorted", downstream, handle: SortedConduit.serving)
    }

    /// Attaches a subscriber to the values of publishers, in order.
    @inlinable package static func connect<Upstream: Publisher<Output, Failure>>(
        _ publishers: [Upstream], by areInIncreasingOrder: @escaping (Output, Output) -> Bool,
        to subscriber: some Subscriber<Output, Failure>
    ) {
        let conduit = SortedConduit(by: areInIncreasingOrder, AnySubscriber(subscriber))
        conduit.connect(subscriber) {
            conduit.sides = ContiguousArray(publishers.map { _ in SortedSide() })
            conduit.lacking = publishers.count
            for (publisher, side) in zip(publishers, conduit.sides) where conduit.earlyEnd == nil {
                publisher.receive(subscriber: SideInlet(conduit, side))
            }
        }
    }

    /// Delivers values as long as the next one is known, and requests the missing ones.
    @usableFromInline package func serve() {
        while !isOver {
            if lacking > 0 { return requestWhatIsMissing() }
            guard let next = nextSide() else { return finish(.finished) }
            guard outstanding.takeOne(), let value = next.head.take() else { return }
            if !next.hasEnded { lacking += 1 }
            _ = deliver(value)
        }
    }

    /// The side whose value comes first; of equal values, the side that comes first in the list.
    @inlinable func nextSide() -> SortedSide<Output>? {
        var best: SortedSide<Output>?
        var least: Output?
        for side in sides {
            guard let head = side.head else { continue }
            if let least, !areInIncreasingOrder(head, least) { continue }
            best = side
            least = head
        }
        return best
    }

    @inlinable func requestWhatIsMissing() {
        if outstanding.current == .none { return }
        for side in sides where side.head == nil && !side.hasEnded && !side.isRequested && side.subscription != nil {
            side.isRequested = true
            request(.max(1), from: side.subscription)
        }
    }

    @inlinable package func connect(
        _ side: SortedSide<Output>, to subscription: ConduitSubscription
    ) -> Subscribers.Demand {
        if side.connect(to: subscription, isWanted: !isOver), phase != .connecting { serve() }
        return .none
    }

    @inlinable package func take(_ value: Output, from side: SortedSide<Output>) -> Subscribers.Demand {
        if isOver || side.hasEnded || side.head != nil { return .none }
        side.isRequested = false
        side.head = value
        lacking -= 1
        serve()
        return .none
    }

    @usableFromInline package func end(_ side: SortedSide<Output>, _ completion: Subscribers.Completion<Failure>) {
        end(side, completion) {
            if side.head == nil { lacking -= 1 }
            if phase != .connecting || lacking == 0 { serve() }
        }
    }

    @usableFromInline package override func releaseUpstreams() {
        for side in exchange(&sides, with: []) {
            side.head = nil
            side.cancel()
        }
    }
}

/// One of the upstreams of a `SortedConduit`.
// Confined to the owner of the conduit's drain.
@usableFromInline package final class SortedSide<Value>: Upstream {
    /// The value that waits for its turn.
    @exclusivity(unchecked) @usableFromInline var head: Value?

    @inlinable override init() { super.init() }
}
