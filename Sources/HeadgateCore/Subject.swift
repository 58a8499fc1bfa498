/// A publisher whose values are sent to it from outside.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    /// Publishes a value.
    func send(_ value: Output)

    /// Completes the stream for every subscriber.
    func send(completion: Subscribers.Completion<Failure>)

    /// Receives the subscription of an upstream that this subject is attached to.
    func send(subscription: any Subscription)
}

extension Subject where Output == Void {
    /// Publishes an event that carries no value.
    @inlinable public func send() { send(()) }
}
