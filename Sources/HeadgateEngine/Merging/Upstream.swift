import HeadgateCore

/// One of the upstreams of a conduit.
// Only touched by the owner of the conduit's drain, hence unchecked.
@usableFromInline package class Upstream {
    @exclusivity(unchecked) @usableFromInline package final var subscription: ConduitSubscription?

    @exclusivity(unchecked) @usableFromInline package final var hasEnded = false

    /// Whether something has been requested from it that has not come.
    @exclusivity(unchecked) @usableFromInline package final var isRequested = false

    /// Whether the upstream has said that it has ended.
    // Used inside its deliveries alone, and those are serial; hence unchecked.
    @exclusivity(unchecked) @usableFromInline package final var isDone = false

    @inlinable package init() {}

    /// What is known of how its values come.
    @inlinable package final var traits: SubscriptionTraits { subscription?.traits ?? [] }

    /// Takes the subscription in; a second one, or one that comes too late, is cancelled.
    @inlinable package final func connect(to subscription: ConduitSubscription, isWanted: Bool) -> Bool {
        if !isWanted || hasEnded || self.subscription != nil {
            subscription.cancel()
            return false
        }
        self.subscription = subscription
        return true
    }

    /// Hears of the end.
    ///
    /// - Returns: Whether it is the first time.
    @inlinable package final func end() -> Bool {
        if hasEnded { return false }
        hasEnded = true
        subscription = nil
        return true
    }

    /// Cancels the upstream, unless it has ended.
    @inlinable package final func cancel() {
        hasEnded = true
        subscription.take()?.cancel()
    }
}
