import HeadgateEngine
import Synchronization

/// A subscription that pauses itself and can be resumed.
public protocol Pausable {
    /// Whether it waits for `resume()`.
    var paused: Bool { get }

    /// Resumes, if it is paused. May be called from any thread.
    func resume()
}

extension Publisher {
    /// Attaches a subscriber that requests values one by one, until a closure pauses it.
    ///
    /// ```
    /// self          1---2---3---4---|      of a source that keeps them until they are requested
    /// receiveValue  1---2-
    /// resume()                !
    ///                         3-4---|
    /// ```
    ///
    /// ```swift
    /// let reader = (1...3).publisher.pausableSink(
    ///     receiveCompletion: { print($0) },
    ///     receiveValue: { value in
    ///         print(value)
    ///         return value != 2
    ///     })
    /// // 1
    /// // 2
    /// reader.resume()
    /// // 3
    /// // finished
    /// ```
    ///
    /// - **Demand**: one value, and one more each time the closure returns `true`. After it has returned `false`,
    ///   nothing is requested until `resume()`. The publisher decides what happens to values in the meantime: a
    ///   sequence waits, a `PassthroughSubject` drops them.
    /// - **Completion**: passed to the closure, paused or not.
    /// - **Threads**: the closures are called on the thread on which upstream delivers, one at a time. `resume()` and
    ///   `cancel()` may be called on any thread; `resume()` requests there, so a source that answers at once delivers
    ///   there.
    /// - **Complexity**: one call of a closure per value.
    ///
    /// - Parameters:
    ///   - receiveCompletion: Called with the completion, unless the stream is cancelled first.
    ///   - receiveValue: Called with each value; returns whether to continue. If `resume()` is called while it runs,
    ///     the stream continues whatever it returns.
    /// - Returns: An object that resumes and cancels the stream; releasing it cancels the stream, too.
    @preconcurrency @inlinable public func pausableSink(
        receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping @Sendable (Output) -> Bool
    ) -> any Pausable & Cancellable {
        let sink = PausableSink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        receive(subscriber: sink)
        return PausableCancellable.handle(sink.pause)
    }
}

extension Publisher where Failure == Never {
    /// Attaches a subscriber that requests values one by one, until a closure pauses it.
    ///
    /// ```swift
    /// let reader = (1...3).publisher.pausableSink { value in
    ///     print(value)
    ///     return value != 2
    /// }
    /// // 1
    /// // 2
    /// reader.resume()
    /// // 3
    /// ```
    ///
    /// - **Demand**: one value, and one more each time the closure returns `true`.
    /// - **Completion**: ignored; the closure is released.
    /// - **Threads**: those of the method with two closures.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameter receiveValue: Called with each value; returns whether to continue.
    /// - Returns: An object that resumes and cancels the stream; releasing it cancels the stream, too.
    @preconcurrency @inlinable public func pausableSink(receiveValue: @escaping @Sendable (Output) -> Bool)
        -> any Pausable
        & Cancellable
    {
        pausableSink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}

/// The phase of a pausable subscriber, which it shares with its cancellable.
@usableFromInline final class PauseState {
    @usableFromInline enum Phase: UInt8, AtomicRepresentable {
        /// A value has been requested.
        case running
        /// A value is being delivered.
        case receiving
        /// `resume()` was called during the delivery.
        case resumed
        case paused
    }

    @usableFromInline let phase = Atomic(Phase.running)

    @usableFromInline let upstream = SubscriptionSlot()

    @inlinable init() {}

    @inlinable func resume() {
        // The delivery may end in a pause between the first two checks.
        if change(.paused, to: .running) || !change(.receiving, to: .resumed) && change(.paused, to: .running) {
            upstream.request(.max(1))
        }
    }

    /// Ends a delivery.
    ///
    /// - Returns: The demand to return.
    @inlinable func demand(goesOn: Bool) -> Subscribers.Demand {
        if !goesOn, change(.receiving, to: .paused) { return .none }
        phase.store(.running, ordering: .relaxed)
        return .max(1)
    }

    @inlinable func change(_ old: Phase, to new: Phase) -> Bool {
        phase.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }
}

/// A subscriber that requests values one by one and may pause.
@usableFromInline final class PausableSink<Input, Failure: Error>: Subscriber {
    @usableFromInline let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

    @usableFromInline let receiveValue: (Input) -> Bool

    @usableFromInline let pause = PauseState()

    @inlinable init(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Input) -> Bool
    ) {
        self.receiveCompletion = receiveCompletion
        self.receiveValue = receiveValue
    }

    @inlinable func receive(subscription: any Subscription) {
        if pause.upstream.fill(with: subscription) { subscription.request(.max(1)) }
    }

    @inlinable func receive(_ value: Input) -> Subscribers.Demand {
        if pause.upstream.isClosed { return .none }
        pause.phase.store(.receiving, ordering: .relaxed)
        return pause.demand(goesOn: receiveValue(value))
    }

    @inlinable func receive(completion: Subscribers.Completion<Failure>) {
        if pause.upstream.close() { receiveCompletion(completion) } else { Undeliverable.note(completion) }
    }
}

/// Resumes and cancels a pausable subscriber without retaining its closures.
@usableFromInline final class PausableCancellable: Pausable, Cancellable {
    @usableFromInline let pause: PauseState

    init(_ pause: PauseState) { self.pause = pause }

    /// The cancellable as clients hold it.
    // Not inlinable: where the optimiser sees that the existential has been made of a class, it may release it at once,
    // before the end of the scope, or of `withExtendedLifetime`, and so cancel.
    @usableFromInline @inline(never) static func handle(_ pause: PauseState) -> any Pausable & Cancellable {
        PausableCancellable(pause)
    }

    deinit { cancel() }

    @usableFromInline var paused: Bool { pause.phase.load(ordering: .acquiring) == .paused && !pause.upstream.isClosed }

    @usableFromInline func resume() { pause.resume() }

    @usableFromInline func cancel() { pause.upstream.cancel() }
}
