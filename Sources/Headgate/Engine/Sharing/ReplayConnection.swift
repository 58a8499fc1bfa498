import HeadgateEngine
import Synchronization

/// The subscriber that a `ReplayHub` attaches to upstream: one for each time it starts anew.
@usableFromInline package final class ReplayConnection<Output, Failure: Error>: Subscriber {
    @usableFromInline package typealias Input = Output

    @usableFromInline package let hub: ReplayHub<Output, Failure>

    @usableFromInline package let upstream = SubscriptionSlot()

    /// The pending demand for upstream.
    @usableFromInline package let due = OutstandingDemand()

    @usableFromInline package let hasStarted = Atomic(false)

    /// What has been requested inside the delivery after which its first subscriber joins.
    // Confined to the owner of the hub's drain.
    @exclusivity(unchecked) @usableFromInline package var requestedAhead = Subscribers.Demand.none

    @inlinable package init(hub: ReplayHub<Output, Failure>) { self.hub = hub }

    /// Makes due what a subscriber has requested that joins after a delivery.
    @inlinable package func requestAhead(_ demand: Subscribers.Demand) {
        if demand > requestedAhead { due.add(demand - exchange(&requestedAhead, with: demand)) }
    }

    /// Connects to upstream, if that has not been done, and makes the pending request.
    @inlinable package func run() {
        if !hasStarted.load(ordering: .relaxed), !hasStarted.exchange(true, ordering: .relaxed), !upstream.isClosed {
            if let subscribe = hub.subscribe { QueueRegistry.bind(hub.shared.registry) { subscribe(self) } }
        }
        forwardDemand()
    }

    @inlinable package func forwardDemand() {
        guard let subscription = upstream.subscription else { return }
        var demand = due.current
        while demand > .none {
            if due.settle(demand) { return subscription.request(demand) }
            demand = due.current
        }
    }

    @inlinable package func receive(subscription: any Subscription) {
        if !upstream.fill(with: subscription) { return }
        hub.memberTraits.store(upstream.traits.intersection(.waitsForDemand).rawValue, ordering: .relaxed)
        forwardDemand()
    }

    @inlinable package func receive(_ input: Output) -> Subscribers.Demand {
        if upstream.isClosed { return .none }
        // Written out, because an argument that contains this object would retain it.
        var more = Subscribers.Demand.none
        if hub.drain.enter() || hub.drain.waitForTurn() {
            more = hub.receive(input, from: self)
            hub.drain.leave()
        } else {
            postpone(input)
        }
        hub.connect()
        return more
    }

    @inlinable @inline(never) func postpone(_ input: Output) {
        hub.drain.postpone { self.hub.request(self.hub.receive(input, from: self)) }
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if !upstream.close() { return Undeliverable.note(completion) }
        hub.perform((completion, self), sends: true) { $0.end($1.0, of: $1.1) }
    }
}
