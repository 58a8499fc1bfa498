import HeadgateCore
import HeadgateEngine

/// A subject that passes each value to the subscribers of that moment which have asked for one.
///
/// ```
/// subject   1---2---3---4---|
/// early     1---2---3---4---|
/// late            --3---4---|
/// ```
///
/// ```swift
/// let news = PassthroughSubject<String, Never>()
/// news.send("nobody hears this")
/// let reader = news.sink { print($0) }
/// news.send("hello")
/// // hello
/// ```
///
/// - **Demand**: each subscriber has its own. A value goes past those that have not asked for one: it is not kept.
///   Upstreams are asked for everything, as soon as any subscriber has asked for something.
/// - **Completion**: goes to every subscriber, and to those who come later. Values sent after it are ignored.
/// - **Complexity**: one call of each subscriber a value. Subscribing and leaving take constant time, amortised.
///
/// It may be sent to from any number of threads, and from inside a delivery: all subscribers see one order. Where a
/// delivery is under way on another thread, `send(_:)` waits for its turn, for at most a millisecond; a value that is sent
/// from inside a delivery follows it.
///
/// Its subscriptions keep it, until the last of them is cancelled or the stream ends.
public final class PassthroughSubject<Output, Failure: Error>: Subject {
    @usableFromInline let hub = Hub<Output, Failure>(name: "PassthroughSubject", latest: nil)

    /// Makes a subject without subscribers.
    @inlinable public init() {}

    deinit { hub.close() }

    /// Connects a subscriber, which gets what is sent from now on.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        hub.attach(subscriber, keeping: self)
    }

    /// Publishes a value, unless the stream has ended.
    @inlinable public func send(_ input: Output) { hub.send(input) }

    /// Ends the stream for every subscriber, present and future.
    @inlinable public func send(completion: Subscribers.Completion<Failure>) { hub.send(completion: completion) }

    /// Takes the subscription of an upstream in; it is asked for everything as soon as a subscriber asks for something.
    public func send(subscription: any Subscription) { hub.upstreams.add(subscription.held) }
}

// Everything that threads share is in the hub, which puts it in one order.
extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}
