import HeadgateEngine

/// Forwards values, and finishes once as many have been delivered as were requested.
@usableFromInline package final class RationedConduit<Input>: Subscriber {
    @usableFromInline package typealias Failure = Never

    @usableFromInline package let ration: Ration

    @usableFromInline package let downstream: AnySubscriber<Input, Never>

    @inlinable package init(name: StaticString, to downstream: some Subscriber<Input, Never>) {
        ration = Ration(name: name)
        self.downstream = AnySubscriber(downstream)
    }

    @inlinable package func receive(subscription: any Subscription) {
        if ration.upstream.fill(with: subscription) { downstream.receive(subscription: ration) }
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        guard ration.outstanding.takeOne() else { return .none }
        let more = downstream.receive(input)
        ration.outstanding.add(more)
        if ration.outstanding.isClosed { return .none }
        if ration.outstanding.current > .none { return more }
        if ration.upstream.cancel(), ration.outstanding.close() != nil { downstream.receive(completion: .finished) }
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Never>) {
        if ration.upstream.close(), ration.outstanding.close() != nil { downstream.receive(completion: completion) }
    }
}

/// The subscription of a `RationedConduit`; it refers to upstream, and doesn't retain the conduit.
@usableFromInline package final class Ration: ConduitSubscription, SignalHandling {
    @usableFromInline package let upstream = SubscriptionSlot()

    /// The outstanding demand, which upstream has too.
    @usableFromInline package let outstanding = OutstandingDemand()

    @usableFromInline package let name: StaticString

    @usableFromInline package init(name: StaticString) {
        self.name = name
        super.init(handle: Ration.handling)
    }

    @usableFromInline package func handleRequest(_ demand: Subscribers.Demand) {
        if outstanding.add(demand) != nil { upstream.request(demand) }
    }

    @usableFromInline package func handleCancel() {
        outstanding.close()
        upstream.cancel()
    }

    @usableFromInline package override var description: String { name.description }
}
