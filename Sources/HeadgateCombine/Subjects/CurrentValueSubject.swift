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
/// order in which every subscriber sees the values. Where a delivery is under way, a new value is delivered behind it,
/// by the thread that is delivering; `value` is the new one as soon as `send(_:)` returns.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    @usableFromInline struct Current {
        @usableFromInline var value: Output

        @usableFromInline var hasEnded = false

        /// Counts the changes.
        @usableFromInline var version: UInt = 0

        @inlinable init(value: Output) { self.value = value }
    }

    @usableFromInline let hub: Hub<Output, Failure>

    @usableFromInline let current: Guarded<Current>

    /// Makes a subject that begins with a value.
    @inlinable public init(_ value: Output) {
        hub = Hub(name: "CurrentValueSubject", latest: value)
        // The value is shared with the hub, which hands it to subscribers as they ask, as any subject does.
        nonisolated(unsafe) let first = Current(value: value)
        current = Guarded(first)
        hub.upstreams.open()
    }

    deinit { hub.close() }

    /// The value sent last; setting it sends.
    ///
    /// After the end it can still be set: it is kept then, and not sent.
    @inlinable public var value: Output {
        get { current.withLock { $0.value } }
        set { change(to: newValue, evenAfterTheEnd: true) }
    }

    /// Connects a subscriber, which gets the present value as soon as it asks.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        hub.attach(subscriber)
    }

    /// Changes the value and publishes it, unless the stream has ended.
    @inlinable public func send(_ input: Output) { change(to: input, evenAfterTheEnd: false) }

    @inlinable func change(to input: Output, evenAfterTheEnd: Bool) {
        // Both under one lock, so that values are delivered in the order in which they became current. Nothing foreign
        // runs under it: admitting work does none, and the old value is dropped behind it.
        var old = input
        let isOwner = current.withLock {
            if $0.hasEnded {
                if evenAfterTheEnd {
                    swap(&$0.value, &old)
                    $0.version &+= 1
                }
                return false
            }
            swap(&$0.value, &old)
            $0.version &+= 1
            return hub.drain.admit(.value(input))
        }
        if isOwner { hub.serve(.value(input)) }
    }

    /// Changes the value and publishes it, unless it has been changed since `version`.
    @inlinable package func change(to input: Output, ifStill version: UInt) -> Bool {
        var old = input
        let (isUnchanged, isOwner) = current.withLock {
            if $0.version != version { return (false, false) }
            swap(&$0.value, &old)
            $0.version &+= 1
            return (true, !$0.hasEnded && hub.drain.admit(.value(input)))
        }
        if isOwner { hub.serve(.value(input)) }
        return isUnchanged
    }

    /// The value, and how often it has been changed.
    @inlinable package var versioned: (value: Output, version: UInt) { current.withLock { ($0.value, $0.version) } }

    /// Ends the stream for every subscriber, present and future.
    @inlinable public func send(completion: Subscribers.Completion<Failure>) {
        let isOwner = current.withLock {
            if $0.hasEnded { return false }
            $0.hasEnded = true
            return hub.drain.admit(.completion(completion))
        }
        if isOwner { hub.serve(.completion(completion)) }
    }

    /// Takes the subscription of an upstream in, and asks it for everything.
    public func send(subscription: any Subscription) { hub.upstreams.add(subscription) }
}

// What threads share is in the hub and under the lock.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
