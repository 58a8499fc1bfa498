import HeadgateEngine

extension Publisher {
    /// Attaches a subscriber with two closures and unlimited demand.
    ///
    /// Use this one if the closures may run on whatever thread delivers. If they use the state of an actor, including a
    /// class of the main actor, use `sink(on:)` or `sink(isolation: #isolation)` of the module `Headgate`: this one
    /// runs them off the actor, and the compiler doesn't warn. To await in the closure, use `forEach`.
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
    /// - **Demand**: requests unlimited values at once.
    /// - **Completion**: passed to the closure; then both closures are released.
    /// - **Threads**: the closures are called on the thread on which upstream delivers, one at a time. `cancel()` may
    ///   be called on any thread; one delivery may be in progress when it returns on another.
    /// - **Complexity**: one call of a closure per value.
    ///
    /// - Parameters:
    ///   - receiveCompletion: Called when the stream completes, unless it is cancelled before.
    ///   - receiveValue: Called with each value. Both are called on the thread that delivers.
    /// - Returns: Cancels the stream when cancelled or released.
    @preconcurrency @inlinable @inline(__always) public func sink(
        receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping @Sendable (Output) -> Void
    ) -> AnyCancellable {
        let upstream = SharedSlot()
        receive(
            subscriber: AttachedSink(upstream, receiveCompletion: receiveCompletion, receiveValue: receiveValue))
        // A stream that has completed already leaves nothing to cancel.
        return upstream.slot.isClosed ? AnyCancellable() : AnyCancellable(upstream)
    }
}

extension Publisher where Failure == Never {
    /// Attaches a subscriber with one closure and unlimited demand.
    ///
    /// Use this one if the closure may run on whatever thread delivers. If it uses the state of an actor, including a
    /// class of the main actor, use `sink(on:)` or `sink(isolation: #isolation)` of the module `Headgate`: this one
    /// runs it off the actor, and the compiler doesn't warn. To await in the closure, use `forEach`.
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
    /// - **Demand**: requests unlimited values at once.
    /// - **Completion**: ignored; the closure is released.
    /// - **Threads**: the closure is called on the thread on which upstream delivers, for one value at a time.
    ///   `cancel()` may be called on any thread; one delivery may be in progress when it returns on another.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameter receiveValue: Called with each value, on the thread that delivers it.
    /// - Returns: Cancels the stream when cancelled or released.
    @preconcurrency @inlinable public func sink(receiveValue: @escaping @Sendable (Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}

extension Subscribers {
    /// A subscriber with two closures and unlimited demand.
    ///
    /// It releases both closures when the stream completes or is cancelled.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
        @usableFromInline struct Closures {
            @usableFromInline let receiveValue: @Sendable (Input) -> Void

            @usableFromInline let receiveCompletion: @Sendable (Subscribers.Completion<Failure>) -> Void

            @inlinable init(
                receiveValue: @escaping @Sendable (Input) -> Void,
                receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void
            ) {
                self.receiveValue = receiveValue
                self.receiveCompletion = receiveCompletion
            }
        }

        // Behind a lock, because cancellation removes them while a delivery may be using them.
        @usableFromInline let closures: Guarded<Closures?>

        @usableFromInline let upstream = SubscriptionSlot()

        /// Creates a subscriber with two closures.
        @preconcurrency @inlinable public init(
            receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
            receiveValue: @escaping @Sendable (Input) -> Void
        ) {
            // The delivering thread calls them, one call at a time.
            nonisolated(unsafe) let closures: Closures? = Closures(
                receiveValue: receiveValue, receiveCompletion: receiveCompletion)
            self.closures = Guarded(closures)
        }

        /// The closure for values; one that does nothing after the completion and after `cancel()`.
        @preconcurrency @inlinable public var receiveValue: @Sendable (Input) -> Void {
            closures.withLock { $0 }?.receiveValue ?? { _ in }
        }

        /// The closure for the completion; one that does nothing after that and after `cancel()`.
        @preconcurrency @inlinable public var receiveCompletion: @Sendable (Subscribers.Completion<Failure>) -> Void {
            closures.withLock { $0 }?.receiveCompletion ?? { _ in }
        }

        /// Requests unlimited values.
        @inlinable public func receive(subscription: any Subscription) {
            if upstream.fill(with: subscription) { subscription.request(.unlimited) }
        }

        /// Calls the closure, unless the stream has completed or been cancelled.
        ///
        /// - Returns: No further demand, since it is unlimited already.
        @inlinable public func receive(_ value: Input) -> Subscribers.Demand {
            if !upstream.isClosed { receiveValue(value) }
            return .none
        }

        /// Calls the closure, once.
        @inlinable public func receive(completion: Subscribers.Completion<Failure>) {
            if !upstream.close() { return Undeliverable.note(completion) }
            release()?.receiveCompletion(completion)
        }

        /// Cancels upstream; no closure is called after that.
        @inlinable public func cancel() {
            // Upstream first: what the closures hold may be released with them, and then finds upstream cancelled
            // already.
            if upstream.cancel() { _ = release() }
        }

        @inlinable func release() -> Closures? { closures.withLock { $0.take() } }
    }
}

/// The subscriber that `sink` attaches: stored only in its upstream, which releases it and its closures at the end.
///
/// So the closures need no lock, which would be taken for each value, and the last conduit contains it.
@usableFromInline struct AttachedSink<Input, Failure: Error>: Subscriber {
    @usableFromInline let receiveValue: (Input) -> Void

    @usableFromInline let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

    // Shared with the cancellable, which doesn't retain the closures.
    @usableFromInline let upstream: SharedSlot

    @inlinable init(
        _ upstream: SharedSlot, receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Input) -> Void
    ) {
        self.upstream = upstream
        self.receiveCompletion = receiveCompletion
        self.receiveValue = receiveValue
    }

    @inlinable var combineIdentifier: CombineIdentifier { CombineIdentifier(upstream) }

    // No caller has the cancellable before `receive(subscriber:)` returns.
    @inlinable static var _needsNoSubscription: Bool { true }

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
    /// A description of this value.
    public var description: String { "Sink" }

    /// What is shown of this value's contents.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

    /// What a playground shows.
    public var playgroundDescription: Any { description }
}
