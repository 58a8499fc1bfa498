import HeadgateEngine

/// A subject with a current value, which new subscribers and subscribers with late demand receive.
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
/// - **Demand**: each subscriber has its own. A subscriber without demand misses values, and receives the most recent
///   one once it has demand. Unlimited values are requested from upstreams at once.
/// - **Completion**: sent to all subscribers, including later ones. Values sent after it are ignored.
/// - **Threads**: values are delivered on the sending thread, before `send(_:)` returns, or by a thread that is
///   delivering already (rule 3.6 of the contract); the current value that waits for demand on the thread of the
///   request.
/// - **Complexity**: one call per subscriber and value. Subscribing and cancelling take amortised constant time.
///
/// Any thread may send to it, even during a delivery: subscribers see the values in the order in which `value` changes.
/// While a delivery is under way on another thread, `send(_:)` waits for its turn, for as long as rule 3.6 of the
/// contract says; a value sent during a delivery on the same thread follows it. `value` has changed by the time
/// `send(_:)` returns.
///
/// Its subscriptions retain it until the last of them is cancelled or the stream completes.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    @usableFromInline let hub: Hub<Output, Failure>

    @usableFromInline let current: Guarded<CurrentValue<Output>>

    /// Creates a subject with an initial value.
    @inlinable public init(_ value: Output) {
        hub = Hub(.currentValueSubject, latest: value)
        // The hub shares the value, and delivers it to subscribers as they request it, as any subject does.
        nonisolated(unsafe) let first = CurrentValue(value)
        current = Guarded(first)
        hub.openUpstreams()
    }

    // There are no subscribers: they retain it.
    deinit { hub.cancelUpstreams() }

    /// The current value; setting it sends the new one.
    ///
    /// After the completion, it can still be set, but the new value isn't sent.
    @inlinable public var value: Output {
        get { current.withLock { $0.value } }
        set { hub.set(newValue, in: current) }
    }

    /// Attaches a subscriber, which receives the current value once it has demand.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        hub.attach(subscriber, keeping: self)
    }

    /// Changes the value and publishes it, unless the stream has ended.
    @inlinable public func send(_ input: Output) { hub.send(input, settingIn: current) }

    /// Changes the value and publishes it, unless it has been changed since `version`.
    @inlinable package func change(to input: Output, ifStill version: Int) -> Bool {
        hub.set(input, in: current, ifStill: version)
    }

    /// The value, and how often it has been changed.
    @inlinable package var versioned: (value: Output, version: Int) { current.withLock { $0.versioned } }

    /// Completes the stream for every subscriber, present and future.
    @inlinable public func send(completion: Subscribers.Completion<Failure>) {
        hub.send(completion: completion, endingIn: current)
    }

    /// Receives the subscription of an upstream, and requests unlimited values from it.
    public func send(subscription: any Subscription) { hub.add(ConduitSubscription.holding(subscription)) }
}

// Threads share only the hub and what is under the lock.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}

extension CurrentValueSubject: QueueSharing {
    @usableFromInline package var queuesUpstream: QueueRegistry? { hub.registry }
}
