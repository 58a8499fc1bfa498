import HeadgateCore
import HeadgateEngine

/// A subject that has a value at every moment: a new subscriber begins with it, and whoever asks late gets the last one.
///
/// ```
/// subject   0---1---2---3---|
/// early     0---1---2---3---|
/// late              2---3---|
/// ```
///
/// ```swift
/// let level = CurrentValueSubject<Int, Never>(0)
/// let watch = level.sink { print($0) }
/// // 0
/// level.value = 1
/// // 1
/// print(level.value)
/// // 1
/// ```
///
/// - **Demand**: each subscriber has its own. A subscriber that has not asked misses values and gets the last one of
///   them when it asks. Upstreams are asked for everything, at once.
/// - **Completion**: goes to every subscriber, and to those who come later. Values sent after it are ignored.
/// - **Complexity**: one call of each subscriber a value. Subscribing and leaving take constant time, amortised.
///
/// It may be sent to from any number of threads, and from inside a delivery: the order in which `value` changes is the
/// order in which every subscriber sees the values. Where a delivery is under way on another thread, `send(_:)` waits for its
/// turn, for at most a millisecond; a value that is sent from inside a delivery follows it. `value` is the new one as soon
/// as `send(_:)` returns.
///
/// Its subscriptions keep it, until the last of them is cancelled or the stream ends.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    @usableFromInline let hub: Hub<Output, Failure>

    @usableFromInline let current: Guarded<CurrentValue<Output>>

    /// Makes a subject that begins with a value.
    @inlinable public init(_ value: Output) {
        hub = Hub(name: "CurrentValueSubject", latest: value)
        // The value is shared with the hub, which hands it to subscribers as they ask, as any subject does.
        nonisolated(unsafe) let first = CurrentValue(value)
        current = Guarded(first)
        hub.upstreams.open()
    }

    deinit { hub.close() }

    /// The value sent last; setting it sends.
    ///
    /// After the end it can still be set: it is kept then, and not sent.
    @inlinable public var value: Output {
        get { current.withLock { $0.value } }
        set { hub.set(newValue, in: current) }
    }

    /// Connects a subscriber, which gets the present value as soon as it asks.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        hub.attach(subscriber, keeping: self)
    }

    /// Changes the value and publishes it, unless the stream has ended.
    @inlinable public func send(_ input: Output) { hub.send(input, settingIn: current) }

    /// Changes the value and publishes it, unless it has been changed since `version`.
    @inlinable package func change(to input: Output, ifStill version: Int) -> Bool {
        hub.send(input, settingIn: current, ifStill: version)
    }

    /// The value, and how often it has been changed.
    @inlinable package var versioned: (value: Output, version: Int) { current.withLock { $0.versioned } }

    /// Ends the stream for every subscriber, present and future.
    @inlinable public func send(completion: Subscribers.Completion<Failure>) {
        hub.send(completion: completion, endingIn: current)
    }

    /// Takes the subscription of an upstream in, and asks it for everything.
    public func send(subscription: any Subscription) { hub.upstreams.add(subscription.held) }
}

// What threads share is in the hub and under the lock.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
