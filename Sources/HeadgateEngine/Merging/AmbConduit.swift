import HeadgateCore

/// Serves one subscriber from the first of several upstreams to send a value or to complete.
///
/// Until then, demand is forwarded to all of them. The others are cancelled, and what they have sent meanwhile is
/// dropped.
@usableFromInline package final class AmbConduit<Output, Failure: Error>: JoiningConduit<Output, Failure>, Gathering {
    @usableFromInline package typealias Input = Output

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var sides = ContiguousArray<DemandedUpstream>()

    @exclusivity(unchecked) @usableFromInline var winner: DemandedUpstream?

    /// The index of the side to which demand is forwarded next.
    @exclusivity(unchecked) @usableFromInline var turn = 0

    @inlinable init(_ downstream: AnySubscriber<Output, Failure>) {
        super.init(name: "Amb", downstream, handle: AmbConduit.forwarding)
    }

    /// Subscribes to one of the publishers.
    @usableFromInline package typealias Attach = (SideInlet<AmbConduit>) -> Void

    @inlinable package static func attach(_ publisher: some Publisher<Output, Failure>) -> Attach {
        { publisher.receive(subscriber: $0) }
    }

    /// Attaches a subscriber to the first of these publishers that sends a value or completes; finishes if there are
    /// none.
    @inlinable package static func connect(_ publishers: [Attach], to subscriber: some Subscriber<Output, Failure>) {
        let conduit = AmbConduit(AnySubscriber(subscriber))
        conduit.connect(subscriber) {
            if publishers.isEmpty { conduit.finish(.finished) }
            for attach in publishers where conduit.earlyEnd == nil {
                let side = DemandedUpstream()
                conduit.sides.append(side)
                attach(SideInlet(conduit, side))
            }
        }
    }

    /// Adds new demand and forwards it, until one upstream has answered.
    @usableFromInline package func serve() {
        if isOver { return }
        let demand = takeDemand()
        if let winner {
            winner.unforwarded += demand
            return request(winner.takeUnforwarded(), from: winner.subscription)
        }
        for side in sides {
            side.unforwarded += demand
            if side.traits.contains(.sendsByItself) { request(side.takeUnforwarded(), from: side.subscription) }
        }
        turn = 0
        requestByChoice()
    }

    @usableFromInline package override func nextRequest() -> (
        demand: Subscribers.Demand, upstream: ConduitSubscription
    )? {
        while winner == nil, turn < sides.count {
            let side = sides[turn]
            turn += 1
            if side.unforwarded > .none, let subscription = side.subscription {
                return (side.takeUnforwarded(), subscription)
            }
        }
        return nil
    }

    @inlinable package func connect(
        _ side: DemandedUpstream, to subscription: ConduitSubscription
    ) -> Subscribers.Demand {
        side.unforwarded = .none
        return side.connect(to: subscription, isWanted: !isOver && winner == nil) ? outstanding.current : .none
    }

    /// Delivers a value of the first upstream.
    ///
    /// - Returns: The demand to return to it.
    @inlinable @inline(__always) package func take(
        _ value: Output, from side: DemandedUpstream
    ) -> Subscribers.Demand {
        if isOver || side.hasEnded { return .none }
        if winner == nil { choose(side) }
        return outstanding.takeOne() ? deliver(value) : .none
    }

    /// Cancels all upstreams but one.
    @usableFromInline func choose(_ side: DemandedUpstream) {
        winner = side
        for other in exchange(&sides, with: []) where other !== side { other.cancel() }
    }

    @usableFromInline package func end(_ side: DemandedUpstream, _ completion: Subscribers.Completion<Failure>) {
        if !isOver, side.end() { finish(completion) }
    }

    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        sides.reduce(.waitsForDemand) { $0.intersection($1.traits) }
    }

    @usableFromInline package override func releaseUpstreams() {
        for side in exchange(&sides, with: []) { side.cancel() }
        winner?.cancel()
    }
}
