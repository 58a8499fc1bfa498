import HeadgateCore

/// Requests one value at a time, and only counts.
package final class CountingSubscriber<Input, Failure: Error>: Subscriber {
    package private(set) var count = 0
    package private(set) var last: Input?
    package private(set) var hasFinished = false

    private let step: Subscribers.Demand

    package init(requesting step: Subscribers.Demand = .max(1)) { self.step = step }

    package func receive(subscription: any Subscription) { subscription.request(step) }

    package func receive(_ input: Input) -> Subscribers.Demand {
        count += 1
        last = input
        return step
    }

    package func receive(completion: Subscribers.Completion<Failure>) {
        if case .finished = completion { hasFinished = true }
    }
}
