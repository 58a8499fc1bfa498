import HeadgateCore

/// Passes values on, and ends the stream when as many have been delivered as were asked for.
@usableFromInline
final class RationedConduit<Output, Failure: Error>: ConduitSubscription, Subscriber {
    @usableFromInline
    typealias Input = Output

    @usableFromInline
    let upstream = SubscriptionSlot()

    /// What was asked for and not yet delivered, as upstream has it too.
    @usableFromInline
    let outstanding = OutstandingDemand()

    @usableFromInline
    let downstream: AnySubscriber<Output, Failure>

    @usableFromInline
    let name: StaticString

    @inlinable
    init<S: Subscriber>(name: StaticString, to downstream: S) where S.Input == Output, S.Failure == Failure {
        self.name = name
        self.downstream = AnySubscriber(downstream)
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: RationedConduit.self)
            switch signal {
            case .request(let demand):
                if conduit.outstanding.add(demand) != nil { conduit.upstream.request(demand) }
            case .cancel:
                conduit.outstanding.close()
                conduit.upstream.cancel()
            }
        }
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if upstream.fill(with: subscription) { downstream.receive(subscription: self) }
    }

    @inlinable
    func receive(_ input: Output) -> Subscribers.Demand {
        guard outstanding.takeOne() else { return .none }
        let more = downstream.receive(input)
        outstanding.add(more)
        if outstanding.isClosed { return .none }
        if outstanding.current > .none { return more }
        if upstream.cancel(), outstanding.close() != nil { downstream.receive(completion: .finished) }
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        if upstream.close(), outstanding.close() != nil { downstream.receive(completion: completion) }
    }

    @usableFromInline
    override var description: String { name.description }
}
