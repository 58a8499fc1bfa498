import HeadgateEngine
import Synchronization

// How values enter a hub without an upstream.
extension ReplayHub {
    /// Keeps the subscription to an upstream of a subject, and requests unlimited values: at once, or if the upstream waits
    /// for demand, when a subscriber lacks some.
    @usableFromInline package func add(_ subscription: any Subscription) {
        let subscription = ConduitSubscription.holding(subscription)
        let isCold = subscription.traits.contains(.startsOnDemand)
        if isCold, !upstreams.isOpen.load(ordering: .relaxed) {
            memberTraits.store(SubscriptionTraits.waitsForDemand.rawValue, ordering: .relaxed)
        }
        upstreams.add(subscription)
        // What a hot upstream sends before it has been requested from is lost.
        if !isCold { upstreams.open() }
    }

    /// Sends a value in the caller's turn.
    ///
    /// During a send from inside a delivery, the thread waits only for an owner that is overdue.
    // By `perform`, as the next, since what others have enqueued may lack values of upstream.
    @inlinable package func send(_ value: Output) {
        Drain.send { perform(value, sends: true) { if $0.ending == nil { _ = $0.put($1) } } }
    }

    /// Completes the stream, in the caller's turn.
    @inlinable package func send(completion: Subscribers.Completion<Failure>) {
        Drain.send { perform(completion, sends: true) { $0.end($1) } }
    }

    @inlinable func end(_ completion: Subscribers.Completion<Failure>) {
        if ending != nil { return }
        ending = completion
        serveAll()
        keptSender = nil
    }
}
