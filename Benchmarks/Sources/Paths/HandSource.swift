import Headgate

/// A publisher without the library's code, which sends when it is told to.
final class HandSource<Output>: Publisher, @unchecked Sendable {
    typealias Failure = Never

    private var subscribers: [any Subscriber<Output, Never>] = []

    func receive(subscriber: some Subscriber<Output, Never>) {
        subscribers.append(subscriber)
        subscriber.receive(subscription: HandSubscription())
    }

    func send(_ value: Output) {
        for subscriber in subscribers { _ = subscriber.receive(value) }
    }

    func finish() {
        for subscriber in subscribers { subscriber.receive(completion: .finished) }
        subscribers = []
    }
}

private final class HandSubscription: Subscription {
    func request(_ demand: Subscribers.Demand) {}

    func cancel() {}
}

/// A subscriber without the library's code, which requests nothing by itself.
final class HandSubscriber<Input>: Subscriber {
    var subscription: (any Subscription)?

    /// Called once, when the next value is received.
    var atNextValue: (() -> Void)?

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ value: Input) -> Subscribers.Demand {
        let action = atNextValue
        atNextValue = nil
        action?()
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) { subscription = nil }
}
