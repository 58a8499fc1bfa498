import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Attaches a subscriber of two closures that asks for everything.
    ///
    /// ```
    /// self              1---2---|
    /// receiveValue      1---2
    /// receiveCompletion         |
    /// ```
    ///
    /// ```swift
    /// let listener = (1...2).publisher.sink(
    ///     receiveCompletion: { print($0) },
    ///     receiveValue: { print($0) })
    /// // 1
    /// // 2
    /// // finished
    /// ```
    ///
    /// - **Demand**: everything, at once.
    /// - **Completion**: is told to the closure; both closures are let go of behind it.
    /// - **Complexity**: one call of a closure a value.
    ///
    /// - Parameters:
    ///   - receiveCompletion: Hears how the stream ended, if it ends before it is cancelled.
    ///   - receiveValue: Hears each value. Both are called on the thread that delivers.
    /// - Returns: What cancels the stream; letting go of it does so too.
    @inlinable public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        let sink = Subscribers.Sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        receive(subscriber: sink)
        return AnyCancellable(sink.upstream)
    }
}

extension Publisher where Failure == Never {
    /// Attaches a subscriber of one closure that asks for everything.
    ///
    /// ```
    /// self          1---2---|
    /// receiveValue  1---2
    /// ```
    ///
    /// ```swift
    /// let listener = (1...2).publisher.sink { print($0) }
    /// // 1
    /// // 2
    /// ```
    ///
    /// - **Demand**: everything, at once.
    /// - **Completion**: nobody is told; the closure is let go of.
    /// - **Complexity**: one call of the closure a value.
    ///
    /// - Parameter receiveValue: Hears each value. Called on the thread that delivers.
    /// - Returns: What cancels the stream; letting go of it does so too.
    @inlinable public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}

extension Subscribers {
    /// A subscriber of two closures that asks for everything.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
        /// What hears each value.
        public let receiveValue: (Input) -> Void

        /// What hears how the stream ended.
        public let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

        // An object of its own, so that whoever keeps the means to cancel does not keep the closures.
        @usableFromInline let upstream = SharedSlot()

        /// Makes a subscriber of two closures.
        @inlinable public init(
            receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
            receiveValue: @escaping (Input) -> Void
        ) {
            self.receiveCompletion = receiveCompletion
            self.receiveValue = receiveValue
        }

        /// Asks for everything.
        @inlinable public func receive(subscription: any Subscription) {
            if upstream.slot.fill(with: subscription) { subscription.request(.unlimited) }
        }

        /// Tells the closure, unless the stream has ended or been cancelled.
        ///
        /// - Returns: Nothing more, for everything has been asked for.
        @inlinable public func receive(_ value: Input) -> Subscribers.Demand {
            if !upstream.slot.isClosed { receiveValue(value) }
            return .none
        }

        /// Tells the closure, once.
        @inlinable public func receive(completion: Subscribers.Completion<Failure>) {
            if upstream.slot.close() { receiveCompletion(completion) }
        }

        /// Cancels upstream; nothing is heard after that.
        @inlinable public func cancel() { upstream.cancel() }
    }
}

extension Subscribers.Sink: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
    /// `Sink`.
    public var description: String { "Sink" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

    /// The description.
    public var playgroundDescription: Any { description }
}
