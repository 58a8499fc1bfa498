import HeadgateEngine
import Synchronization

extension Publisher where Failure == Never {
    /// Writes each value into a property of an object.
    ///
    /// Use this one if the property may be written on whatever thread delivers. If it belongs to an actor, including a
    /// class of the main actor, write it in `sink(on:)` or `sink(isolation: #isolation)` of the module `Headgate`.
    ///
    /// ```
    /// self      1---2---3---|
    /// object.x  1---2---3
    /// ```
    ///
    /// ```swift
    /// import HeadgateCombine
    /// import Synchronization
    ///
    /// final class Meter: Sendable {
    ///     private let current = Mutex(0)
    ///     var level: Int {
    ///         get { current.withLock { $0 } }
    ///         set {
    ///             current.withLock { $0 = newValue }
    ///             print(newValue)
    ///         }
    ///     }
    /// }
    /// let meter = Meter()
    /// let connection = (1...2).publisher.assign(to: \.level, on: meter)
    /// // 1
    /// // 2
    /// ```
    ///
    /// Retains the object until the stream completes or is cancelled. An object that stores the returned cancellable
    /// and is itself the target forms a reference cycle: assign to a `@Published` property with `assign(to:)` instead.
    ///
    /// - **Demand**: requests unlimited values at once.
    /// - **Completion**: releases the object.
    /// - **Threads**: the property is set on the thread on which upstream delivers. The cancellable may be used on any
    ///   thread; one assignment may be in progress when `cancel()` returns on another.
    /// - **Complexity**: one assignment through a key path per value.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - object: The object. The property is written on the thread that delivers.
    /// - Returns: Cancels the stream when cancelled or released.
    @preconcurrency @inlinable public func assign<Root: Sendable>(
        to keyPath: any ReferenceWritableKeyPath<Root, Output> & Sendable, on object: Root
    ) -> AnyCancellable {
        let assign = Subscribers.Assign(object: object, keyPath: keyPath)
        receive(subscriber: assign)
        return AnyCancellable(assign)
    }
}

extension Subscribers {
    /// A subscriber that writes each value into a property of an object.
    public final class Assign<Root, Input>: Subscriber, Cancellable {
        /// The type of error that the stream may fail with.
        public typealias Failure = Never

        /// The object, until the stream completes or is cancelled.
        @inlinable public var object: Root? { target.withLock { $0 } }

        /// The property.
        public let keyPath: any ReferenceWritableKeyPath<Root, Input> & Sendable

        // Behind a lock, because cancellation clears it while a delivery may be reading it.
        @usableFromInline let target: Guarded<Root?>

        @usableFromInline let upstream = SubscriptionSlot()

        // A value before the subscription is a violation of the contract, and not written.
        @usableFromInline let hasSubscription = Atomic(false)

        /// Creates a subscriber that writes into a property of an object.
        @preconcurrency @inlinable public init(
            object: Root, keyPath: any ReferenceWritableKeyPath<Root, Input> & Sendable
        ) {
            nonisolated(unsafe) let object: Root? = object
            target = Guarded(object)
            self.keyPath = keyPath
        }

        /// Requests unlimited values.
        @inlinable public func receive(subscription: any Subscription) {
            if upstream.fill(with: subscription) {
                hasSubscription.store(true, ordering: .relaxed)
                subscription.request(.unlimited)
            }
        }

        /// Writes the value, unless it arrives before the subscription, or after the completion or the cancellation.
        ///
        /// - Returns: No further demand, since it is unlimited already.
        @inlinable public func receive(_ value: Input) -> Subscribers.Demand {
            if hasSubscription.load(ordering: .relaxed), !upstream.isClosed, let object {
                object[keyPath: keyPath] = value
            }
            return .none
        }

        /// Releases the object.
        @inlinable public func receive(completion: Subscribers.Completion<Never>) {
            if upstream.close() { release() }
        }

        /// Cancels upstream and releases the object.
        @inlinable public func cancel() {
            if upstream.cancel() { release() }
        }

        @inlinable func release() {
            _ = target.withLock { $0.take() }
        }
    }
}

extension Subscribers.Assign: Sendable where Root: Sendable {}

extension Subscribers.Assign: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
    /// `Assign`, the type of the object, and a period.
    public var description: String { "Assign \(Root.self)." }

    /// A mirror that shows the object, the key path and the subscription.
    public var customMirror: Mirror {
        Mirror(self, children: ["object": object as Any, "keyPath": keyPath, "status": upstream.subscription as Any])
    }

    /// What a playground shows.
    public var playgroundDescription: Any { description }
}
