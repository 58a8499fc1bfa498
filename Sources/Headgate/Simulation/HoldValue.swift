import HeadgateEngine

/// Holds one value and publishes every change of it.
///
/// ```
/// value      0---1---2---3---
/// publisher  ----1---2---3---
/// ```
///
/// ```swift
/// let holder = HoldValue(0)
/// let watch = holder.publisher.sink { print($0) }
/// holder.value = 1
/// // 1
/// holder.value = 2
/// // 2
/// ```
///
/// Unlike a `CurrentValueSubject`, it does not send the current value to a new subscriber, and a change that arrives
/// without demand is dropped.
///
/// It may be changed from any number of threads, and from inside a delivery: every subscriber receives the changes in
/// the order in which `value` changes. `value` returns the new value as soon as it is set.
public final class HoldValue<Value> {
    @usableFromInline let hub = Hub<Value, Never>(.holdValue, latest: nil)

    @usableFromInline let current: Guarded<CurrentValue<Value>>

    /// Whether a subscriber receives a completion once its demand has been served.
    public let finishesWhenDemandIsServed: Bool

    /// Creates a holder.
    ///
    /// - Parameters:
    ///   - initial: The initial value, which is not published.
    ///   - finishesWhenDemandIsServed: Whether a subscriber receives a completion once its demand has been served. The
    ///     default is `false`: exhausted demand is not completion.
    @inlinable public init(_ initial: Value, finishesWhenDemandIsServed: Bool = false) {
        // The value is shared with all readers, like any value.
        nonisolated(unsafe) let first = CurrentValue(initial)
        current = Guarded(first)
        self.finishesWhenDemandIsServed = finishesWhenDemandIsServed
    }

    deinit { hub.close() }

    /// The value; setting it publishes.
    @inlinable public var value: Value {
        get { current.withLock { $0.value } }
        set { hub.send(newValue, settingIn: current) }
    }

    /// A publisher of the changes from now on.
    ///
    /// - **Demand**: each subscriber has its own. A change is dropped for subscribers without demand.
    /// - **Completion**: never, unless the holder finishes subscribers whose demand it has served.
    /// - **Threads**: values are delivered on the thread that sets the value, or by one that is delivering already
    ///   (rule 3.6 of the contract).
    /// - **Complexity**: one call of each subscriber per change. Subscribing and cancelling take amortised constant
    ///   time.
    @inlinable public var publisher: Publisher { Publisher(holder: self) }

    /// A publisher of the changes of a `HoldValue`.
    public struct Publisher: HeadgateCore.Publisher {
        /// The type of the published values.
        public typealias Output = Value

        /// The type of error that the stream may fail with.
        public typealias Failure = Never

        /// The holder of the value.
        public let holder: HoldValue

        @inlinable init(holder: HoldValue) { self.holder = holder }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Value, Never>) {
            if holder.finishesWhenDemandIsServed {
                holder.hub.attach(RationedConduit(name: "HoldValue", to: subscriber))
            } else {
                holder.hub.attach(subscriber)
            }
        }
    }
}

// The hub and a lock guard the shared state.
extension HoldValue: @unchecked Sendable where Value: Sendable {}

extension HoldValue.Publisher: Sendable where Value: Sendable {}
