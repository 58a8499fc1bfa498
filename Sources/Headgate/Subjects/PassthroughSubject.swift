import HeadgateCore

/// A subject that passes each value to the subscribers of that moment which have asked for one.
public final class PassthroughSubject<Output, Failure: Error>: Subject {
    @usableFromInline
    let hub = Hub<Output, Failure>(name: "PassthroughSubject", latest: nil)

    /// Makes a subject without subscribers.
    @inlinable
    public init() {}

    deinit { hub.upstreams.cancel() }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        hub.attach(subscriber)
    }

    @inlinable
    public func send(_ input: Output) { hub.send(input) }

    @inlinable
    public func send(completion: Subscribers.Completion<Failure>) { hub.send(completion: completion) }

    public func send(subscription: any Subscription) { hub.upstreams.add(subscription) }
}

// Everything that threads share is in the hub, which puts it in one order.
extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}
