import HeadgateCore

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

    /// Receives a value, in the drain.
    ///
    /// - Returns: The demand to return to this upstream.
    func take(_ input: Input) -> Subscribers.Demand

    /// Called when the upstream has completed.
    func end(_ completion: Subscribers.Completion<Failure>)
}

extension Inlet {
    @inlinable package var combineIdentifier: CombineIdentifier { CombineIdentifier(side) }

    @inlinable package func receive(subscription: any Subscription) {
        let subscription = ConduitSubscription.holding(subscription)
        if !conduit.attached.add(side, subscription) { return }
        if conduit.takeTurn() {
            let demand = connect(to: subscription)
            conduit.leave()
            // Not left to a loop of requests: that may be waiting for the upstream to be attached.
            if demand > .none { QueueRegistry.apart { subscription.request(demand) } }
        } else if conduit.isDeliveredByCaller, subscription.traits.contains(.answersLater) {
            // What it sends before the delivery has ended would be lost.
            let demand = connect(to: subscription)
            if demand > .none { subscription.request(demand) }
        } else {
            conduit.postpone { conduit.request(connect(to: subscription), from: side) }
        }
    }

    @inlinable @inline(__always) package func receive(_ input: Input) -> Subscribers.Demand {
        if !conduit.takeTurn() { return conduit.isWithdrawn ? .none : postpone(input) }
        let more = take(input)
        conduit.leave()
        return more
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

    /// Enqueues a value for the drain's owner.
    ///
    /// - Returns: The demand to return to this upstream meanwhile.
    @inlinable @inline(never) func postpone(_ input: Input) -> Subscribers.Demand {
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
