import HeadgateCombine
import HeadgateCore
import HeadgateEngine

/// A subject that gives late subscribers the last values first.
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
/// - **Demand**: each subscriber has its own, and nothing is dropped because one is slow: what it has not read is kept for
///   it, as far behind as it may be, until it reads on or cancels. Upstreams are asked for everything, at once.
/// - **Completion**: follows the values. A late subscriber gets the last values as it asks for them, and the completion after
///   the last of them. Values sent after it are ignored.
/// - **Complexity**: one call of each subscriber a value; memory for the last `bufferSize` values, and for those that the
///   slowest subscriber has not read.
///
/// It may be sent to from any number of threads, and from inside a delivery: all subscribers see one order.
public final class ReplaySubject<Output, Failure: Error>: Subject {
    @usableFromInline let hub: ReplayHub<Output, Failure>

    @usableFromInline let upstreams = UpstreamList()

    /// Makes a subject without subscribers.
    ///
    /// - Parameter bufferSize: How many values late subscribers get at the most; zero and `.max` are allowed. A negative number
    ///   is a programmer's error and traps.
    @inlinable public init(bufferSize: Int) {
        if bufferSize < 0 {
            programmerError(
                rule: "The size of the buffer of a ReplaySubject is a number of values and can't be negative.",
                found: "\(bufferSize)", remedy: "Use 0 to replay nothing and .max to replay everything.")
        }
        hub = ReplayHub(name: "ReplaySubject", capacity: bufferSize)
        upstreams.open()
    }

    @inlinable deinit { upstreams.cancel() }

    /// Connects a subscriber, which gets the last values and then what is sent from now on.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) { hub.attach(subscriber) }

    /// Publishes a value, unless the stream has ended.
    @inlinable public func send(_ value: Output) { hub.send(value) }

    /// Ends the stream for every subscriber, present and future.
    @inlinable public func send(completion: Subscribers.Completion<Failure>) {
        hub.send(completion: completion)
        upstreams.cancel()
    }

    /// Takes the subscription of an upstream in, and asks it for everything.
    public func send(subscription: any Subscription) { upstreams.add(subscription.held) }
}

// Everything that threads share is in the hub, which puts it in one order.
extension ReplaySubject: @unchecked Sendable where Output: Sendable {}
