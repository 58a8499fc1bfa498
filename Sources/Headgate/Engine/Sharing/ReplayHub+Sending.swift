import HeadgateCore
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
    @inlinable package func send(_ value: Output) { takeTurn(value) { $0.add($1) } }

    /// Completes the stream, in the caller's turn.
    @inlinable package func send(completion: Subscribers.Completion<Failure>) { takeTurn(completion) { $0.end($1) } }

    /// Does work in the caller's turn.
    ///
    /// During a send from inside a delivery, the thread waits only for an owner that is overdue.
    @inlinable @inline(__always) func takeTurn<Argument>(
        _ argument: Argument, _ work: @escaping (ReplayHub, Argument) -> Void
    ) {
        // What others have enqueued may lack values of upstream.
        Drain.send { perform(argument, sends: true, work) }
    }

    @inlinable func add(_ value: Output) {
        if ending != nil { return }
        _ = put(value)
    }

    @inlinable func end(_ completion: Subscribers.Completion<Failure>) {
        if ending != nil { return }
        ending = completion
        serveAll()
        keptSender = nil
    }
}
