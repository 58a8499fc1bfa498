import HeadgateCombine

/// A publisher that goes on talking after the end and after `cancel()`, and keeps a ledger.
final class StubbornPublisher<Output, Failure: Error>: Publisher, Subscription {
    enum Call: Equatable {
        case request(Subscribers.Demand)
        case cancel
    }

    private(set) var calls: [Call] = []
    private(set) var downstream: AnySubscriber<Output, Failure>?

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        downstream = AnySubscriber(subscriber)
        subscriber.receive(subscription: self)
    }

    func request(_ demand: Subscribers.Demand) { calls.append(.request(demand)) }

    func cancel() { calls.append(.cancel) }
}
