import HeadgateCore

/// One of the two sides of a `CombineLatestConduit`.
@usableFromInline package struct CombineSide<Value> {
    @usableFromInline package var upstream: (any Subscription)?

    @usableFromInline package var latest: Value?

    /// How many values came before the other side had one.
    @usableFromInline package var early = 0

    @usableFromInline package var hasEnded = false

    @inlinable package init() {}

    /// Takes the subscription in, unless there is one or it comes too late.
    @inlinable package mutating func connect(to subscription: any Subscription, isWanted: Bool) -> Bool {
        if !isWanted || hasEnded || upstream != nil {
            subscription.cancel()
            return false
        }
        upstream = subscription
        return true
    }

    /// What to ask for in place of the values that came early, but for the one in the first combination.
    @inlinable package mutating func makeUp() -> Subscribers.Demand {
        let lacking = early - 1
        early = 0
        return .max(lacking)
    }

    /// Hears of the end.
    ///
    /// - Returns: Whether it is the first time.
    @inlinable package mutating func end() -> Bool {
        if hasEnded { return false }
        hasEnded = true
        upstream = nil
        return true
    }

    @inlinable package mutating func release() {
        latest = nil
        upstream.take()?.cancel()
    }
}

@usableFromInline package struct FirstCombineSubscriber<First, Second, Failure: Error>: Subscriber {
    @usableFromInline package let conduit: CombineLatestConduit<First, Second, Failure>

    @inlinable package init(conduit: CombineLatestConduit<First, Second, Failure>) { self.conduit = conduit }

    @inlinable package var combineIdentifier: CombineIdentifier { conduit.combineIdentifier }

    @inlinable package func receive(subscription: any Subscription) {
        conduit.perform(.firstSubscription(subscription))
    }

    @inlinable package func receive(_ input: First) -> Subscribers.Demand {
        if conduit.drain.enter() {
            let more = conduit.receive(first: input)
            conduit.leave()
            return more
        }
        conduit.push(.first(input))
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        conduit.perform(.firstEnd(completion))
    }
}

@usableFromInline package struct SecondCombineSubscriber<First, Second, Failure: Error>: Subscriber {
    @usableFromInline package let conduit: CombineLatestConduit<First, Second, Failure>

    @inlinable package init(conduit: CombineLatestConduit<First, Second, Failure>) { self.conduit = conduit }

    @inlinable package var combineIdentifier: CombineIdentifier { conduit.combineIdentifier }

    @inlinable package func receive(subscription: any Subscription) {
        conduit.perform(.secondSubscription(subscription))
    }

    @inlinable package func receive(_ input: Second) -> Subscribers.Demand {
        if conduit.drain.enter() {
            let more = conduit.receive(second: input)
            conduit.leave()
            return more
        }
        conduit.push(.second(input))
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        conduit.perform(.secondEnd(completion))
    }
}
