import HeadgateCore

/// One of the two sides of a `CombineLatestConduit`.
@usableFromInline
struct CombineSide<Value> {
    @usableFromInline
    var upstream: (any Subscription)?

    @usableFromInline
    var latest: Value?

    /// How many values came before the other side had one.
    @usableFromInline
    var early = 0

    @usableFromInline
    var hasEnded = false

    @inlinable
    init() {}

    /// Takes the subscription in, unless there is one or it comes too late.
    @inlinable
    mutating func connect(to subscription: any Subscription, isWanted: Bool) -> Bool {
        if !isWanted || hasEnded || upstream != nil {
            subscription.cancel()
            return false
        }
        upstream = subscription
        return true
    }

    /// What to ask for in place of the values that came early, but for the one in the first combination.
    @inlinable
    mutating func makeUp() -> Subscribers.Demand {
        let lacking = early - 1
        early = 0
        return .max(lacking)
    }

    /// Hears of the end.
    ///
    /// - Returns: Whether it is the first time.
    @inlinable
    mutating func end() -> Bool {
        if hasEnded { return false }
        hasEnded = true
        upstream = nil
        return true
    }

    @inlinable
    mutating func release() {
        latest = nil
        upstream.take()?.cancel()
    }
}

@usableFromInline
struct FirstCombineSubscriber<First, Second, Failure: Error>: Subscriber {
    @usableFromInline
    let conduit: CombineLatestConduit<First, Second, Failure>

    @inlinable
    init(conduit: CombineLatestConduit<First, Second, Failure>) { self.conduit = conduit }

    @inlinable
    var combineIdentifier: CombineIdentifier { conduit.combineIdentifier }

    @inlinable
    func receive(subscription: any Subscription) { conduit.perform(.firstSubscription(subscription)) }

    @inlinable
    func receive(_ input: First) -> Subscribers.Demand {
        if conduit.drain.enter() {
            let more = conduit.receive(first: input)
            conduit.leave()
            return more
        }
        conduit.push(.first(input))
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) { conduit.perform(.firstEnd(completion)) }
}

@usableFromInline
struct SecondCombineSubscriber<First, Second, Failure: Error>: Subscriber {
    @usableFromInline
    let conduit: CombineLatestConduit<First, Second, Failure>

    @inlinable
    init(conduit: CombineLatestConduit<First, Second, Failure>) { self.conduit = conduit }

    @inlinable
    var combineIdentifier: CombineIdentifier { conduit.combineIdentifier }

    @inlinable
    func receive(subscription: any Subscription) { conduit.perform(.secondSubscription(subscription)) }

    @inlinable
    func receive(_ input: Second) -> Subscribers.Demand {
        if conduit.drain.enter() {
            let more = conduit.receive(second: input)
            conduit.leave()
            return more
        }
        conduit.push(.second(input))
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) { conduit.perform(.secondEnd(completion)) }
}
