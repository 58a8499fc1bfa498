import HeadgateCore

/// Forwards values, or drops them, until another publisher publishes one.
@usableFromInline package final class UntilConduit<Output, Failure: Error>: JoiningConduit<Output, Failure>, Gathering {
    @usableFromInline package typealias Input = Output

    @usableFromInline let upstream = Upstream()

    @usableFromInline let other = Upstream()

    /// Whether values are dropped at first rather than forwarded.
    @usableFromInline let isDropping: Bool

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var hasBeenTriggered = false

    @inlinable init(name: StaticString, isDropping: Bool, _ downstream: AnySubscriber<Output, Failure>) {
        self.isDropping = isDropping
        super.init(name: name, downstream, handle: UntilConduit.forwarding)
    }

    /// Attaches a subscriber to the values of a publisher until another one publishes a value, or from then on.
    ///
    /// - Parameter failure: How the stream fails when the other publisher does, if it does.
    @inlinable package static func connect<Other: Publisher>(
        _ upstream: some Publisher<Output, Failure>, other: Other, name: StaticString, isDropping: Bool,
        to subscriber: some Subscriber<Output, Failure>, failure: @escaping (Other.Failure) -> Failure?
    ) {
        let conduit = UntilConduit(name: name, isDropping: isDropping, AnySubscriber(subscriber))
        conduit.connect(subscriber) {
            other.receive(
                subscriber: AsideInlet<Other.Output, Other.Failure, UntilConduit>(
                    conduit, conduit.other, demand: .max(1),
                    onValue: { conduit, _ in conduit.trigger() },
                    onCompletion: { conduit, completion in
                        switch completion {
                        case .failure(let error): if let failure = failure(error) { conduit.finish(.failure(failure)) }
                        // Nothing can make the values pass any more.
                        case .finished: if conduit.isDropping { conduit.finish(.finished) }
                        }
                    }))
            upstream.receive(subscriber: SideInlet(conduit, conduit.upstream))
        }
    }

    /// Adds new demand and forwards it.
    @usableFromInline package func forwardDemand() {
        if !isOver { request(takeDemand(), from: upstream) }
    }

    /// Forwards a value, or drops it.
    ///
    /// - Returns: The demand to return upstream.
    @inlinable @inline(__always) package func take(_ value: Output, from side: Upstream) -> Subscribers.Demand {
        if isOver || side.hasEnded { return .none }
        // A dropped value is replaced.
        if isDropping, !hasBeenTriggered { return .max(1) }
        return outstanding.takeOne() ? deliver(value) : .none
    }

    @usableFromInline package func end(_ side: Upstream, _ completion: Subscribers.Completion<Failure>) {
        if !isOver, end(side) { finish(completion) }
    }

    /// Called when the other publisher has published a value.
    @usableFromInline func trigger() {
        if !isDropping { return finish(.finished) }
        hasBeenTriggered = true
        cancel(other)
    }

    @usableFromInline package override var passedOn: Upstream? { upstream }

    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        upstream.traits.intersection([.waitsForDemand, .sendsByItself])
    }
}
