import HeadgateCore

/// Cancels upstream, and completes its subscriber instead.
package struct EndingConduit<Downstream: Subscriber>: Subscriber {
    package typealias Input = Downstream.Input

    package typealias Failure = Downstream.Failure

    let downstream: Downstream

    package init(_ downstream: Downstream) { self.downstream = downstream }

    package var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    package func receive(subscription: any Subscription) {
        subscription.cancel()
        downstream.complete(with: .finished, after: Subscriptions.empty)
    }

    package func receive(_ input: Input) -> Subscribers.Demand { .none }

    package func receive(completion: Subscribers.Completion<Failure>) { Undeliverable.note(completion) }
}
