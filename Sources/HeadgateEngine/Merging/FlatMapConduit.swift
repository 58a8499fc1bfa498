import HeadgateCore
import Synchronization

extension MergeConduit {
    /// Connects a subscriber to the merged values of the publishers that a closure makes of another one's values.
    ///
    /// - Parameters:
    ///   - limit: How many of the publishers may be going at a time.
    ///   - transform: Makes a publisher of a value. Called outside the drain.
    ///   - soleValue: The value of a publisher that is known to publish nothing else and to be ready.
    @inlinable package static func connect<Upstream: Publisher, P: Publisher>(
        _ upstream: Upstream, limit: Subscribers.Demand, to downstream: AnySubscriber<Output, Failure>,
        transform: @escaping (Upstream.Output) -> P, soleValue: @escaping (P) -> Output?
    ) where Upstream.Failure == Failure, P.Output == Output, P.Failure == Failure {
        let conduit = MergeConduit(name: "FlatMap", count: 1, limit: limit, downstream)
        downstream.receive(subscription: conduit)
        if conduit.outstanding.isClosed { return }
        upstream.receive(
            subscriber: FlatMapSubscriber(conduit: conduit) { input, conduit in
                let publisher = transform(input)
                // A value that is there needs no subscription.
                if let value = soleValue(publisher) { return conduit.receive(only: value) }
                return conduit.attach(publisher)
            })
    }

    /// Takes in a publisher that the feeder has brought.
    ///
    /// - Returns: How many more to ask the feeder for.
    @inlinable package func attach(_ publisher: some Publisher<Output, Failure>) -> Subscribers.Demand {
        living.add(1, ordering: .relaxed)
        publisher.receive(subscriber: member())
        return .none
    }

    /// Takes in the value of a publisher that publishes nothing else.
    ///
    /// - Returns: How many more to ask the feeder for.
    @inlinable package func receive(only value: Output) -> Subscribers.Demand {
        if drain.enter() {
            let isDelivered = deliver(only: value)
            leave()
            return isDelivered && limit != .unlimited ? .max(1) : .none
        }
        push(.only(value))
        return .none
    }

    /// Delivers such a value, or lets it wait.
    ///
    /// - Returns: Whether it was delivered.
    @inlinable @inline(__always) package func deliver(only value: Output) -> Bool {
        if hasEnded { return false }
        if queue.isEmpty, outstanding.takeOne() {
            add(downstream.receive(value))
            return true
        }
        if !outstanding.isClosed { wait(only: value) }
        return false
    }

    @usableFromInline package func wait(only value: Output) {
        let member = MergeMember()
        member.hasEnded = true
        member.waiting = 1
        queue.append((member, value))
    }

    /// Takes in the publisher that brings members.
    @inlinable package func register(feeder subscription: any Subscription) -> Bool {
        if hasEnded || feeder != nil {
            subscription.cancel()
            return false
        }
        feeder = subscription
        return true
    }
}

/// What subscribes to the publisher whose values are made into publishers.
@usableFromInline package struct FlatMapSubscriber<Input, Output, Failure: Error>: Subscriber {
    @usableFromInline package let conduit: MergeConduit<Output, Failure>

    @usableFromInline package let attach: (Input, MergeConduit<Output, Failure>) -> Subscribers.Demand

    @inlinable package init(
        conduit: MergeConduit<Output, Failure>,
        attach: @escaping (Input, MergeConduit<Output, Failure>) -> Subscribers.Demand
    ) {
        self.conduit = conduit
        self.attach = attach
    }

    @inlinable package var combineIdentifier: CombineIdentifier { conduit.combineIdentifier }

    @inlinable package func receive(subscription: any Subscription) {
        if conduit.drain.enter() {
            let isWanted = conduit.register(feeder: subscription)
            conduit.leave()
            if isWanted { subscription.request(conduit.limit) }
        } else {
            conduit.push(.feeder(subscription))
        }
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        if conduit.outstanding.isClosed || conduit.feederHasEnded { return .none }
        return attach(input, conduit)
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if conduit.feederHasEnded { return }
        conduit.feederHasEnded = true
        conduit.perform(.feederEnd(completion))
    }
}
