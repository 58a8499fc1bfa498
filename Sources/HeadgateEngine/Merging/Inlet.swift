import HeadgateCore

/// One of the upstreams of a conduit.
// Confined to the owner of the conduit's drain.
@usableFromInline package class Upstream {
    @exclusivity(unchecked) @usableFromInline package final var subscription: ConduitSubscription?

    @exclusivity(unchecked) @usableFromInline package final var hasEnded = false

    /// Whether something has been requested from it that has not arrived.
    @exclusivity(unchecked) @usableFromInline package final var isRequested = false

    /// The demand that is to be requested from it.
    @exclusivity(unchecked) @usableFromInline package final var due = Subscribers.Demand.none

    /// Whether that is requested only while the subscriber has demand, and nothing else is due.
    @usableFromInline let comesLast: Bool

    /// The next upstream from which something is to be requested.
    @exclusivity(unchecked) @usableFromInline package final var next: Upstream?

    /// Whether the upstream has completed.
    // Confined to upstream's deliveries, which are serial.
    @exclusivity(unchecked) @usableFromInline package final var isDone = false

    @inlinable package init(comesLast: Bool = false) { self.comesLast = comesLast }

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

/// Upstreams in order; each of them is in one such queue at a time.
@usableFromInline package struct UpstreamQueue: ~Copyable {
    @usableFromInline package private(set) var first: Upstream?

    private unowned(unsafe) var last: Upstream?

    @usableFromInline package init() {}

    @inlinable package var isEmpty: Bool { first == nil }

    mutating func append(_ upstream: Upstream) {
        if let last { last.next = upstream } else { first = upstream }
        last = upstream
    }

    mutating func popFirst() -> Upstream? {
        guard let upstream = first.take() else { return nil }
        first = upstream.next.take()
        if first == nil { last = nil }
        return upstream
    }
}

/// The subscriber to one of a conduit's upstreams: it takes its turn in the conduit's drain, and notifies the conduit.
///
/// A conduit handles a subscription, a value and the completion of an upstream in three functions. The owner of the
/// drain calls them, one at a time, whether the upstream's thread got its turn or had to enqueue the work.
@usableFromInline package protocol Inlet: Subscriber {
    associatedtype Conduit: Joining
    associatedtype Side: Upstream

    /// The conduit that receives the upstream's values.
    var conduit: Conduit { get }

    var side: Side { get }

    /// Receives the subscription.
    ///
    /// - Returns: The demand to request.
    func connect(to subscription: ConduitSubscription) -> Subscribers.Demand

    /// Receives a value.
    ///
    /// - Returns: The demand to return to this upstream.
    func take(_ input: Input) -> Subscribers.Demand

    /// Called when the upstream has completed.
    func end(_ completion: Subscribers.Completion<Failure>)

    /// Enqueues a value for the drain's owner.
    ///
    /// - Returns: The demand to return to this upstream meanwhile.
    func postpone(_ input: Input) -> Subscribers.Demand
}

extension Inlet {
    @inlinable package var combineIdentifier: CombineIdentifier { CombineIdentifier(side) }

    @inlinable package func receive(subscription: any Subscription) {
        let subscription = ConduitSubscription.holding(subscription)
        if conduit.takeTurn() {
            let demand = connect(to: subscription)
            conduit.leave()
            // Not left to a loop of requests on this thread: that may be waiting for the upstream to be attached.
            if demand > .none { subscription.request(demand) }
        } else {
            conduit.postpone { conduit.request(connect(to: subscription), from: side) }
        }
    }

    @inlinable @inline(__always) package func receive(_ input: Input) -> Subscribers.Demand { takeInTurn(input) }

    @inlinable @inline(__always) package func takeInTurn(_ input: Input) -> Subscribers.Demand {
        conduit.takeTurn() ? conduit.leave(answering: take(input), to: side) : postpone(input)
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if conduit.takeTurn() {
            endInTurn(completion)
            conduit.leave()
        } else {
            conduit.postpone { endInTurn(completion) }
        }
    }

    @inlinable func endInTurn(_ completion: Subscribers.Completion<Failure>) {
        noteIfTooLate(completion)
        end(completion)
    }

    // Not inlined: it would take more stack per stage of a chain.
    @inlinable @inline(never) func noteIfTooLate(_ completion: Subscribers.Completion<Failure>) {
        if conduit.takesNothing { Undeliverable.note(completion) }
    }

    @inlinable @inline(never) package func postpone(_ input: Input) -> Subscribers.Demand {
        conduit.postpone { conduit.request(take(input), from: side) }
        return .none
    }
}

extension Inlet where Side == Conduit.Side {
    @inlinable package func connect(to subscription: ConduitSubscription) -> Subscribers.Demand {
        conduit.connect(side, to: subscription)
    }
}

extension Inlet where Side == Conduit.Side, Failure == Conduit.Failure {
    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) { conduit.end(side, completion) }
}
