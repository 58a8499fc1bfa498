import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Attaches a subscriber of two closures that asks for everything.
    ///
    /// Which sink to take: this one, where the closures may run on whatever thread delivers. Where they use what belongs to
    /// an actor, a class of the main actor included, `sink(on:)` or `sink(isolation: #isolation)` of the module `Headgate`:
    /// this one runs them off the actor, and the compiler does not say so. To wait in the closure, `forEach`.
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
        receiveCompletion: @escaping StreamClosure<Subscribers.Completion<Failure>, Void>,
        receiveValue: @escaping StreamClosure<Output, Void>
    ) -> AnyCancellable {
        let sink = AttachedSink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        receive(subscriber: sink)
        return AnyCancellable(sink.upstream)
    }
}

extension Publisher where Failure == Never {
    /// Attaches a subscriber of one closure that asks for everything.
    ///
    /// Which sink to take: this one, where the closure may run on whatever thread delivers. Where it uses what belongs to
    /// an actor, a class of the main actor included, `sink(on:)` or `sink(isolation: #isolation)` of the module `Headgate`:
    /// this one runs it off the actor, and the compiler does not say so. To wait in the closure, `forEach`.
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
    @inlinable public func sink(receiveValue: @escaping StreamClosure<Output, Void>) -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}

extension Subscribers {
    /// A subscriber of two closures that asks for everything.
    ///
    /// It releases both closures when the stream ends and when it is cancelled.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
        @usableFromInline struct Closures {
            @usableFromInline let receiveValue: StreamClosure<Input, Void>

            @usableFromInline let receiveCompletion: StreamClosure<Subscribers.Completion<Failure>, Void>

            @inlinable init(
                receiveValue: @escaping StreamClosure<Input, Void>,
                receiveCompletion: @escaping StreamClosure<Subscribers.Completion<Failure>, Void>
            ) {
                self.receiveValue = receiveValue
                self.receiveCompletion = receiveCompletion
            }
        }

        // Behind a lock, because whoever cancels takes them away while a delivery may be using them.
        @usableFromInline let closures: Guarded<Closures?>

        @usableFromInline let upstream = SubscriptionSlot()

        /// Makes a subscriber of two closures.
        @inlinable public init(
            receiveCompletion: @escaping StreamClosure<Subscribers.Completion<Failure>, Void>,
            receiveValue: @escaping StreamClosure<Input, Void>
        ) {
            // They are called by whoever delivers, one call at a time.
            nonisolated(unsafe) let closures: Closures? = Closures(
                receiveValue: receiveValue, receiveCompletion: receiveCompletion)
            self.closures = Guarded(closures)
        }

        /// What hears each value; one that does nothing after the end and after `cancel()`.
        @inlinable public var receiveValue: StreamClosure<Input, Void> {
            closures.withLock { $0 }?.receiveValue ?? { _ in }
        }

        /// What hears how the stream ended; one that does nothing after that and after `cancel()`.
        @inlinable public var receiveCompletion: StreamClosure<Subscribers.Completion<Failure>, Void> {
            closures.withLock { $0 }?.receiveCompletion ?? { _ in }
        }

        /// Asks for everything.
        @inlinable public func receive(subscription: any Subscription) {
            if upstream.fill(with: subscription) { subscription.request(.unlimited) }
        }

        /// Tells the closure, unless the stream has ended or been cancelled.
        ///
        /// - Returns: Nothing more, for everything has been asked for.
        @inlinable public func receive(_ value: Input) -> Subscribers.Demand {
            if !upstream.isClosed { receiveValue(value) }
            return .none
        }

        /// Tells the closure, once.
        @inlinable public func receive(completion: Subscribers.Completion<Failure>) {
            if !upstream.close() { return Undeliverable.note(completion) }
            release()?.receiveCompletion(completion)
        }

        /// Cancels upstream; nothing is heard after that.
        @inlinable public func cancel() {
            // Upstream first: what the closures hold may be released with them, and has seen the cancellation then.
            if upstream.cancel() { _ = release() }
        }

        @inlinable func release() -> Closures? { closures.withLock { $0.take() } }
    }
}

/// What `sink` attaches: held by its upstream alone, which releases it and its closures at the end.
///
/// So they need no lock, which would be taken for each value.
@usableFromInline final class AttachedSink<Input, Failure: Error>: Subscriber {
    @usableFromInline let receiveValue: (Input) -> Void

    @usableFromInline let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

    // An object of its own, so that whoever keeps the means to cancel does not keep the closures.
    @usableFromInline let upstream = SharedSlot()

    @inlinable init(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void
    ) {
        self.receiveCompletion = receiveCompletion
        self.receiveValue = receiveValue
    }

    @inlinable func receive(subscription: any Subscription) {
        if upstream.slot.fill(with: subscription) { subscription.request(.unlimited) }
    }

    @inlinable func receive(_ value: Input) -> Subscribers.Demand {
        if !upstream.slot.isClosed { receiveValue(value) }
        return .none
    }

    @inlinable func receive(completion: Subscribers.Completion<Failure>) {
        if !upstream.slot.close() { return Undeliverable.note(completion) }
        receiveCompletion(completion)
    }
}

extension AttachedSink: CustomStringConvertible, CustomReflectable {
    @usableFromInline var description: String { "Sink" }

    @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension Subscribers.Sink: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
    /// `Sink`.
    public var description: String { "Sink" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

    /// The description.
    public var playgroundDescription: Any { description }
}
