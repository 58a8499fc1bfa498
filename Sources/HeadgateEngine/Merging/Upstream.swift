import HeadgateCore

/// One of the upstreams of a conduit.
// Confined to the owner of the conduit's drain.
@usableFromInline package class Upstream {
    @exclusivity(unchecked) @usableFromInline package final var subscription: ConduitSubscription?

    @exclusivity(unchecked) @usableFromInline package final var hasEnded = false

    /// Whether something has been requested from it that has not arrived.
    @exclusivity(unchecked) @usableFromInline package final var isRequested = false

    /// Whether the upstream has completed.
    // Confined to upstream's deliveries, which are serial.
    @exclusivity(unchecked) @usableFromInline package final var isDone = false

    @inlinable package init() {}

    /// What is known about how its values arrive; one that has ended sends none.
    @inlinable package final var traits: SubscriptionTraits {
        subscription?.traits ?? (hasEnded ? .answersDemandAtOnce : [])
    }

    /// Stores the subscription; cancels a second one, or one that arrives too late.
    @inlinable package final func connect(to subscription: ConduitSubscription, isWanted: Bool) -> Bool {
        if !isWanted { hasEnded = true }
        if hasEnded || self.subscription != nil {
            subscription.cancel()
            return false
        }
        self.subscription = subscription
        return true
    }

    /// Records the completion.
    ///
    /// - Returns: Whether it is the first time.
    @inlinable package final func end() -> Bool {
        if hasEnded { return false }
        hasEnded = true
        subscription = nil
        return true
    }

    /// Cancels the upstream, unless it has completed.
    @inlinable package final func cancel() {
        hasEnded = true
        subscription.take()?.cancel()
    }
}

/// An upstream to which demand is forwarded that other upstreams receive, too.
@usableFromInline package class DemandedUpstream: Upstream {
    /// The demand that has not been forwarded to this upstream.
    @exclusivity(unchecked) @usableFromInline final var unforwarded = Subscribers.Demand.none

    /// Subtracts what is forwarded now.
    @inlinable final func takeUnforwarded(atMost limit: Subscribers.Demand = .unlimited) -> Subscribers.Demand {
        let share = min(limit, unforwarded)
        unforwarded = limit == .unlimited ? .none : unforwarded - share
        return share
    }
}
