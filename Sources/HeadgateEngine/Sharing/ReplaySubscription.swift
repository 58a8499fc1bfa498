import HeadgateCore
import Synchronization

/// The subscription of a subscriber to a `ReplayHub`.
@usableFromInline
package final class ReplaySubscription<Output, Failure: Error>: ConduitSubscription, SignalHandling,
    Linked
{
    @usableFromInline package let hub: ReplayHub<Output, Failure>

    @usableFromInline package let outstanding = OutstandingDemand()

    /// Which values the subscriber receives; all if `nil`.
    @usableFromInline package let isWanted: ((Output) -> Bool)?

    // Confined to the owner of the hub's drain.
    @exclusivity(unchecked) @usableFromInline package var downstream: AnySubscriber<Output, Failure>?

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
        self.isWanted = isWanted
        self.downstream = downstream
        super.init(handle: ReplaySubscription.handling)
    }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        if outstanding.add(demand) == nil { return }
        hub.perform(self) { hub, member in
            hub.serve(member)
            hub.keepStep()
        }
    }

    @inlinable package func handleCancel() {
        if outstanding.close() != nil { hub.perform(self) { $0.leave($1) } }
    }

    @usableFromInline package override var description: String { hub.name.description }

    @usableFromInline package override var traits: SubscriptionTraits {
        SubscriptionTraits(rawValue: hub.memberTraits.load(ordering: .relaxed))
    }
}
