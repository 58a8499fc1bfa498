import HeadgateCore
import Synchronization

/// What subscribes to the publisher of publishers of a `SwitchConduit`.
@usableFromInline package struct SwitchSubscriber<Input, Output, Failure: Error>: Subscriber {
    @usableFromInline package let conduit: SwitchConduit<Output, Failure>

    @usableFromInline package let attach: (Input, LatestSubscriber<Output, Failure>) -> Void

    @inlinable package init(
        conduit: SwitchConduit<Output, Failure>, attach: @escaping (Input, LatestSubscriber<Output, Failure>) -> Void
    ) {
        self.conduit = conduit
        self.attach = attach
    }

    @inlinable package var combineIdentifier: CombineIdentifier { conduit.combineIdentifier }

    @inlinable package func receive(subscription: any Subscription) {
        if conduit.drain.enter() {
            let isWanted = conduit.connect(outer: subscription)
            conduit.leave()
            if isWanted { subscription.request(.unlimited) }
        } else {
            conduit.push(.outer(subscription))
        }
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        if conduit.isClosed.load(ordering: .relaxed) || conduit.lastTurn < 0 { return .none }
        conduit.lastTurn += 1
        let turn = conduit.lastTurn
        conduit.perform(.turn(turn))
        attach(input, LatestSubscriber(conduit: conduit, turn: turn))
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if conduit.lastTurn < 0 { return }
        conduit.lastTurn = -1
        conduit.perform(.outerEnd(completion))
    }
}

/// What subscribes to the latest publisher of a `SwitchConduit`.
@usableFromInline package struct LatestSubscriber<Input, Failure: Error>: Subscriber {
    @usableFromInline package let conduit: SwitchConduit<Input, Failure>

    @usableFromInline package let turn: Int

    @inlinable package init(conduit: SwitchConduit<Input, Failure>, turn: Int) {
        self.conduit = conduit
        self.turn = turn
    }

    @inlinable package var combineIdentifier: CombineIdentifier { conduit.combineIdentifier }

    @inlinable package func receive(subscription: any Subscription) {
        if conduit.drain.enter() {
            let demand = conduit.connect(subscription, turn)
            conduit.leave()
            if let demand { subscription.request(demand) }
        } else {
            conduit.push(.subscription(subscription, turn: turn))
        }
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        if conduit.drain.enter() {
            let more = conduit.deliver(input, turn)
            conduit.leave()
            return more
        }
        conduit.push(.value(input, turn: turn))
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        conduit.perform(.end(completion, turn: turn))
    }
}
