import HeadgateEngine
import Synchronization

/// The subscription of a subscriber to a `ReplayHub`.
@usableFromInline
package final class ReplaySubscription<Output, Failure: Error>: ConduitSubscription, SignalHandling,
    Linked
{
    @usableFromInline package let hub: ReplayHub<Output, Failure>

    @usableFromInline package let outstanding = OutstandingDemand()

    /// What waits for this subscriber, if there is a stage of a flow downstream of it.
    @usableFromInline let counts: QueueCounts?

    // Can't be copied, so it is called in place, which retains nothing.
    @usableFromInline struct Selection: ~Copyable {
        @usableFromInline let isWanted: (Output) -> Bool

        @inlinable init(_ isWanted: @escaping (Output) -> Bool) { self.isWanted = isWanted }
    }

    /// Which values the subscriber receives; all if `nil`.
    @usableFromInline let selection: Selection?

    // Confined to the owner of the hub's drain.
    @exclusivity(unchecked) @usableFromInline package var downstream: Downstream<Output, Failure>

    /// The cell to read next; none before the subscriber has joined and after it has left.
    @exclusivity(unchecked) @usableFromInline package var cursor: ReplayLog<Output>.Place?

    /// The position of that cell in the stream.
    @exclusivity(unchecked) @usableFromInline package var position = 0

    /// The position up to which it has requested, where the slowest subscriber holds upstream back.
    @exclusivity(unchecked) @usableFromInline package var goal = Subscribers.Demand.none

    // The position in the hub's list.
    @exclusivity(unchecked) @usableFromInline package var next: ReplaySubscription?

    @exclusivity(unchecked) @usableFromInline package unowned(unsafe) var previous: ReplaySubscription?

    @inlinable package init(
        hub: ReplayHub<Output, Failure>, _ downstream: AnySubscriber<Output, Failure>,
        isWanted: ((Output) -> Bool)? = nil
    ) {
        self.hub = hub
        counts = QueueRegistry.isBound ? QueueCounts.register(sharing: hub.shared.registry) : nil
        if let isWanted { selection = Selection(isWanted) } else { selection = nil }
        self.downstream = Downstream(downstream)
        super.init(handle: ReplaySubscription.handling)
    }

    /// Whether the subscriber receives a value.
    @inlinable @inline(__always) func selects(_ value: Output) -> Bool {
        switch selection {
        case .some(let selection): selection.isWanted(value)
        case .none: true
        }
    }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        if outstanding.add(demand) == nil { return }
        hub.requestInside(for: self)
        hub.perform(self) { hub, member in
            hub.serve(member)
            hub.noteWaiting(for: member)
            hub.keepStep()
        }
    }

    @inlinable package func handleCancel() {
        if outstanding.close() == nil { return }
        hub.withdraw()
        hub.perform(self) { $0.leave($1) }
    }

    @usableFromInline package override var description: String { hub.name.description }

    @usableFromInline package override var traits: SubscriptionTraits {
        SubscriptionTraits(rawValue: hub.memberTraits.load(ordering: .relaxed))
    }
}
