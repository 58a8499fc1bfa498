import HeadgateEngine

/// A subject that forwards each value to the current subscribers that have demand.
///
/// ```
/// subject   1---2---3---4---|
/// early     1---2---3---4---|
/// late            --3---4---|
/// ```
///
/// ```swift
/// let news = PassthroughSubject<String, Never>()
/// news.send("nobody receives this")
/// let reader = news.sink { print($0) }
/// news.send("hello")
/// // hello
/// ```
///
/// - **Demand**: each subscriber has its own. Values are dropped for subscribers without demand; nothing is buffered.
///   Unlimited values are requested from upstreams once any subscriber has requested some.
/// - **Completion**: sent to all subscribers, including later ones. Values sent after it are ignored.
/// - **Threads**: values are delivered on the sending thread, before `send(_:)` returns, or by a thread that is
///   delivering already (rule 3.6 of the contract).
/// - **Complexity**: one call per subscriber and value. Subscribing and cancelling take amortised constant time.
///
/// Any thread may send to it, even during a delivery: all subscribers see the same order. While a delivery is under way
/// on another thread, `send(_:)` waits for its turn, for as long as rule 3.6 of the contract says; a value sent during
/// a delivery on the same thread follows it.
///
/// Its subscriptions retain it until the last of them is cancelled or the stream completes.
public final class PassthroughSubject<Output, Failure: Error>: Subject {
    @usableFromInline let hub: Hub<Output, Failure>

    /// Creates a subject without subscribers.
    @inlinable public init() { hub = Hub(.passthroughSubject, latest: nil) }

    /// Creates one whose subscriptions have another description in a log.
    @inlinable init(_ name: HubName) { hub = Hub(name, latest: nil) }

    // There are no subscribers: they retain it.
    deinit { hub.cancelUpstreams() }

    /// Attaches a subscriber, which receives the values sent from now on.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        hub.attach(subscriber, keeping: self)
    }

    /// Publishes a value, unless the stream has ended.
    @inlinable public func send(_ input: Output) { hub.send(input) }

    /// Completes the stream for every subscriber, present and future.
    @inlinable public func send(completion: Subscribers.Completion<Failure>) { hub.send(completion: completion) }

    /// Receives the subscription of an upstream, and requests unlimited values once any subscriber has requested some.
    public func send(subscription: any Subscription) { hub.add(ConduitSubscription.holding(subscription)) }
}

extension PassthroughSubject: QueueSharing {
    @usableFromInline package var queuesUpstream: QueueRegistry? { hub.registry }
}

// Threads share only the hub, which serializes them.
extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}
