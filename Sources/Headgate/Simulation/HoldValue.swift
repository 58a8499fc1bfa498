import HeadgateCombine
import HeadgateCore
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
/// In contrast to a `CurrentValueSubject`, a new subscriber does not begin with the present value, and a change that
/// came while it had not asked is not made up for.
///
/// It may be changed from any number of threads, and from inside a delivery: the order in which `value` changes is the
/// order in which every subscriber sees the changes. `value` is the new one as soon as it is set.
public final class HoldValue<Value> {
    @usableFromInline let hub = Hub<Value, Never>(name: "HoldValue", latest: nil)

    @usableFromInline let current: Guarded<CurrentValue<Value>>

    /// Whether a subscriber is told that the stream has finished when it has got as many changes as it asked for.
    public let finishesWhenDemandIsServed: Bool

    /// Makes a holder.
    ///
    /// - Parameters:
    ///   - initial: The value to begin with, which is not published.
    ///   - finishesWhenDemandIsServed: Whether a subscriber is told that the stream has finished when it has got as many
    ///     changes as it asked for. By default it is not: to want no more for now is not the end.
    @inlinable public init(_ initial: Value, finishesWhenDemandIsServed: Bool = false) {
        // The value is shared with whoever reads it, as any value is.
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
    /// - **Demand**: each subscriber has its own. A change goes past those that have not asked for one.
    /// - **Completion**: never comes, unless the holder finishes subscribers whose demand it has served.
    /// - **Complexity**: one call of each subscriber a change. Subscribing and leaving take constant time, amortised.
    @inlinable public var publisher: Publisher { Publisher(holder: self) }

    /// A publisher of the changes of a `HoldValue`.
    public struct Publisher: HeadgateCore.Publisher {
        /// The values after each change.
        public typealias Output = Value

        /// There is none.
        public typealias Failure = Never

        /// What holds the value.
        public let holder: HoldValue

        @inlinable init(holder: HoldValue) { self.holder = holder }

        /// Connects a subscriber, which gets the changes from now on.
        @inlinable public func receive(subscriber: some Subscriber<Value, Never>) {
            if holder.finishesWhenDemandIsServed {
                holder.hub.attach(RationedConduit(name: "HoldValue", to: subscriber))
            } else {
                holder.hub.attach(subscriber)
            }
        }
    }
}

// What threads share is in the hub and under the lock.
extension HoldValue: @unchecked Sendable where Value: Sendable {}

extension HoldValue.Publisher: Sendable where Value: Sendable {}
