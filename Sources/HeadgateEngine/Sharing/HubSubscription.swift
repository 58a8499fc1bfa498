import HeadgateCore

/// The subscription of a subscriber to a hub.
@usableFromInline package final class HubSubscription<Output, Failure: Error>: HubMember, SignalHandling {
    @usableFromInline package let hub: Hub<Output, Failure>

    /// The subscriber, while the subscription is in the hub's list or awaits the most recent value.
    // Confined to the owner of the hub's drain.
    @exclusivity(unchecked) @usableFromInline package var downstream = Downstream<Output, Failure>.released

    @inlinable package init(hub: Hub<Output, Failure>) {
        self.hub = hub
        super.init(handle: HubSubscription.handling)
    }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        if outstanding.add(demand) == Subscribers.Demand.none { hub.demandHasArrived(for: self) }
    }

    @inlinable package func handleCancel() {
        if outstanding.close() != nil { hub.leave(self) }
    }

    /// Delivers a value if there is demand; called by the drain's owner.
    @inlinable @inline(__always) package func deliver(_ value: Output) {
        if outstanding.isUnlimited {
            hasMissedLatest = false
            _ = downstream.receive(value)
        } else if outstanding.takeOne() {
            hasMissedLatest = false
            outstanding.add(downstream.receive(value))
        } else {
            hasMissedLatest = true
        }
    }

    /// Delivers the completion, and releases the subscriber; called by the drain's owner.
    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) {
        position = Roster.outside
        let receiveCompletion = downstream.release()
        if outstanding.close() != nil { receiveCompletion?(completion) }
    }

    @usableFromInline package override var description: String { hub.name.description }

    @usableFromInline package override var traits: SubscriptionTraits {
        hub.hasMemory ? [.sendsByItself, .holdsLatestOnly] : .sendsByItself
    }
}

/// The subscription of a subscriber to a hub, as far as its types don't matter.
@usableFromInline package class HubMember: ConduitSubscription {
    @usableFromInline package final let outstanding = OutstandingDemand()

    // Confined to the owner of the hub's drain.
    /// The position in the hub's list; negative outside it.
    @exclusivity(unchecked) @usableFromInline package final var position = Roster.outside

    /// Whether the hub's most recent value is still to be delivered.
    @exclusivity(unchecked) @usableFromInline package final var hasMissedLatest = false

    @inlinable package override init(handle: @escaping (ConduitSubscription, Signal) -> Void) {
        super.init(handle: handle)
    }
}
