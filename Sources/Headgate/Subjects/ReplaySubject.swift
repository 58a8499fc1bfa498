import HeadgateEngine
import Synchronization

/// A subject that replays the most recent values to late subscribers.
///
/// ```
/// subject   1---2---3---4---|
/// early     1---2---3---4---|
/// late            (12)3-4---|
/// ```
///
/// ```swift
/// let news = ReplaySubject<Int, Never>(bufferSize: 2)
/// for number in 1...3 { news.send(number) }
/// let reader = news.sink { print($0) }
/// // 2
/// // 3
/// news.send(4)
/// // 4
/// ```
///
/// - **Demand**: each subscriber has its own, and nothing is dropped because one is slow: its unread values are kept,
///   however many, until it requests them or cancels. Requests unlimited values from upstreams at once.
/// - **Completion**: follows the values. A late subscriber receives the replayed values as it requests them, and the
///   completion after the last of them. Values sent after the completion are ignored.
/// - **Threads**: any thread may send. Values are delivered on the sending thread, or on that of the request that they
///   have waited for; by a thread that is delivering already, if there is one (rule 3.6 of the contract).
/// - **Complexity**: one call of each subscriber per value; memory for the `bufferSize` most recent values, and for
///   those that the slowest subscriber has not received.
///
/// Values may be sent from any number of threads, and from inside a delivery: all subscribers receive them in the same
/// order.
///
/// Its subscriptions retain it until the last of them is cancelled or the stream completes.
public final class ReplaySubject<Output, Failure: Error>: Subject {
    @usableFromInline let hub: ReplayHub<Output, Failure>

    /// Creates a subject without subscribers.
    ///
    /// - Parameter bufferSize: The maximum number of values replayed to late subscribers; zero and `.max` are allowed.
    ///   A negative number traps.
    @inlinable public convenience init(bufferSize: Int) { self.init(bufferSize: bufferSize, opensOnDemand: false) }

    /// Creates a subject that requests values from upstreams at once, or when a subscriber lacks some.
    @inlinable init(bufferSize: Int, opensOnDemand: Bool) {
        require(
            bufferSize >= 0,
            rule: "The size of the buffer of a ReplaySubject is a number of values and can't be negative.",
            found: "\(bufferSize)", remedy: "Use 0 to replay nothing and .max to replay everything.")
        hub = ReplayHub(name: "ReplaySubject", capacity: bufferSize, opensOnDemand: opensOnDemand)
        if opensOnDemand { return }
        hub.upstreams.open()
        hub.memberTraits.store(SubscriptionTraits.waitsForDemand.rawValue, ordering: .relaxed)
    }

    @inlinable deinit { hub.upstreams.cancel() }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        hub.attach(subscriber, keeping: self)
    }

    /// Publishes a value, unless the stream has completed.
    @inlinable public func send(_ value: Output) { hub.send(value) }

    /// Completes the stream for all current and future subscribers.
    @inlinable public func send(completion: Subscribers.Completion<Failure>) {
        hub.send(completion: completion)
        hub.upstreams.cancel()
    }

    /// Keeps the subscription to an upstream, and requests unlimited values.
    public func send(subscription: any Subscription) { hub.add(subscription) }
}

// All shared state is in the hub, which serialises it.
extension ReplaySubject: @unchecked Sendable where Output: Sendable {}

extension ReplaySubject: QueueSharing {
    @usableFromInline package var queuesUpstream: QueueRegistry? { hub.shared.registry }
}
