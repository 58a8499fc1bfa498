import HeadgateCore
import Synchronization

extension MergeConduit {
    /// Connects a subscriber to the merged values of the publishers that a closure makes of another one's values.
    ///
    /// - Parameters:
    ///   - limit: How many of the publishers may be going at a time.
    ///   - attach: Makes a publisher of a value and connects a subscriber to it. Called outside the drain.
    @inlinable
    static func connect<Upstream: Publisher>(
        _ upstream: Upstream, limit: Subscribers.Demand, to downstream: AnySubscriber<Output, Failure>,
        attach: @escaping (Upstream.Output, MergeSubscriber<Output, Failure>) -> Void
    ) where Upstream.Failure == Failure {
        let conduit = MergeConduit(name: "FlatMap", count: 1, limit: limit, downstream)
        downstream.receive(subscription: conduit)
        if conduit.outstanding.isClosed { return }
        upstream.receive(subscriber: FlatMapSubscriber(conduit: conduit, attach: attach))
    }

    /// Takes in the publisher that brings members.
    @inlinable
    func register(feeder subscription: any Subscription) -> Bool {
        if hasEnded || feeder != nil {
            subscription.cancel()
            return false
        }
        feeder = subscription
        return true
    }
}

/// What subscribes to the publisher whose values are made into publishers.
@usableFromInline
struct FlatMapSubscriber<Input, Output, Failure: Error>: Subscriber {
    @usableFromInline
    let conduit: MergeConduit<Output, Failure>

    @usableFromInline
    let attach: (Input, MergeSubscriber<Output, Failure>) -> Void

    @inlinable
    init(
        conduit: MergeConduit<Output, Failure>, attach: @escaping (Input, MergeSubscriber<Output, Failure>) -> Void
    ) {
        self.conduit = conduit
        self.attach = attach
    }

    @inlinable
    var combineIdentifier: CombineIdentifier { conduit.combineIdentifier }

    @inlinable
    func receive(subscription: any Subscription) {
        if conduit.drain.enter() {
            let isWanted = conduit.register(feeder: subscription)
            conduit.leave()
            if isWanted { subscription.request(conduit.limit) }
        } else {
            conduit.push(.feeder(subscription))
        }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
        if conduit.outstanding.isClosed || conduit.feederHasEnded { return .none }
        conduit.living.add(1, ordering: .relaxed)
        attach(input, conduit.member())
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        if conduit.feederHasEnded { return }
        conduit.feederHasEnded = true
        conduit.perform(.feederEnd(completion))
    }
}
