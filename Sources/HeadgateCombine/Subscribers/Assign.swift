import HeadgateCore
import HeadgateEngine

extension Publisher where Failure == Never {
    /// Writes each value into a property of an object.
    ///
    /// Which to take: this one, where the property may be written on whatever thread delivers. Where it belongs to an actor,
    /// a class of the main actor included, write it in `sink(on:)` or `sink(isolation: #isolation)` of the module `Headgate`.
    ///
    /// ```
    /// self      1---2---3---|
    /// object.x  1---2---3
    /// ```
    ///
    /// ```swift
    /// final class Meter { var level = 0 { didSet { print(level) } } }
    /// let meter = Meter()
    /// let connection = (1...2).publisher.assign(to: \.level, on: meter)
    /// // 1
    /// // 2
    /// ```
    ///
    /// The object is kept alive until the stream ends or is cancelled. An object that keeps what this returns, and is
    /// the one written to, is a circle: assign to a `@Published` property with `assign(to:)` instead.
    ///
    /// - **Demand**: everything, at once.
    /// - **Completion**: the object is let go of.
    /// - **Complexity**: one assignment through a key path a value.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - object: The object. The property is written on the thread that delivers.
    /// - Returns: What cancels the stream; letting go of it does so too.
    @inlinable public func assign<Root: StrictlySendable>(
        to keyPath: WritableStreamKeyPath<Root, Output>, on object: Root
    )
        -> AnyCancellable
    {
        let assign = Subscribers.Assign(object: object, keyPath: keyPath)
        receive(subscriber: assign)
        return AnyCancellable(assign)
    }
}

extension Subscribers {
    /// A subscriber that writes each value into a property of an object.
    public final class Assign<Root, Input>: Subscriber, Cancellable {
        /// There is none.
        public typealias Failure = Never

        /// The object, until the stream ends or is cancelled.
        @inlinable public var object: Root? { target.withLock { $0 } }

        /// The property.
        public let keyPath: WritableStreamKeyPath<Root, Input>

        // Behind a lock, because whoever cancels clears it while a delivery may be reading it.
        @usableFromInline let target: Guarded<Root?>

        @usableFromInline let upstream = SubscriptionSlot()

        /// Makes a subscriber that writes into a property of an object.
        @inlinable public init(object: Root, keyPath: WritableStreamKeyPath<Root, Input>) {
            nonisolated(unsafe) let object: Root? = object
            target = Guarded(object)
            self.keyPath = keyPath
        }

        /// Asks for everything.
        @inlinable public func receive(subscription: any Subscription) {
            if upstream.fill(with: subscription) { subscription.request(.unlimited) }
        }

        /// Writes the value, unless the stream has ended or been cancelled.
        ///
        /// - Returns: Nothing more, for everything has been asked for.
        @inlinable public func receive(_ value: Input) -> Subscribers.Demand {
            if !upstream.isClosed, let object { object[keyPath: keyPath] = value }
            return .none
        }

        /// Lets go of the object.
        @inlinable public func receive(completion: Subscribers.Completion<Never>) {
            if upstream.close() { release() }
        }

        /// Cancels upstream and lets go of the object.
        @inlinable public func cancel() {
            if upstream.cancel() { release() }
        }

        @inlinable func release() {
            _ = target.withLock { $0.take() }
        }
    }
}

extension Subscribers.Assign: StrictlySendable where Root: StrictlySendable {}

extension Subscribers.Assign: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
    /// `Assign`, the type of the object, and a period.
    public var description: String { "Assign \(Root.self)." }

    /// A mirror that shows the object, the key path and the subscription.
    public var customMirror: Mirror {
        Mirror(self, children: ["object": object as Any, "keyPath": keyPath, "status": upstream.subscription as Any])
    }

    /// The description.
    public var playgroundDescription: Any { description }
}
