import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import Synchronization

/// Something that pauses by itself and can be told to go on.
public protocol Pausable {
    /// Whether it waits for `resume()`.
    var paused: Bool { get }

    /// Goes on, if it is paused. May be called from any thread.
    func resume()
}

extension Publisher {
    /// Attaches a subscriber that takes values one by one, until a closure says that it is enough for now.
    ///
    /// ```
    /// self          1---2---3---4---|      of a source that waits to be asked
    /// receiveValue  1---2-
    /// resume()                !
    ///                         3---4---|
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
    /// - **Demand**: one value, and one more for each that the closure answers with true. After an answer of false,
    ///   nothing is asked for before `resume()`. What becomes of values meanwhile is the publisher's affair: a sequence
    ///   waits, a `PassthroughSubject` lets them go past.
    /// - **Completion**: is told to the closure, paused or not.
    /// - **Complexity**: one call of a closure a value.
    ///
    /// - Parameters:
    ///   - receiveCompletion: Hears how the stream ended, if it ends before it is cancelled.
    ///   - receiveValue: Hears each value, and answers whether to go on. If `resume()` is called while it runs, the
    ///     stream goes on whatever it answers.
    /// - Returns: What resumes and cancels the stream; letting go of it cancels.
    @inlinable public func pausableSink(
        receiveCompletion: @escaping StreamClosure<Subscribers.Completion<Failure>, Void>,
        receiveValue: @escaping StreamClosure<Output, Bool>
    ) -> any Pausable & Cancellable {
        let sink = PausableSink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        receive(subscriber: sink)
        return PauseHandle(sink.pause)
    }
}

extension Publisher where Failure == Never {
    /// Attaches a subscriber that takes values one by one, until a closure says that it is enough for now.
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
    /// - **Demand**: one value, and one more for each that the closure answers with true.
    /// - **Completion**: nobody is told; the closure is let go of.
    /// - **Complexity**: one call of the closure a value.
    ///
    /// - Parameter receiveValue: Hears each value, and answers whether to go on.
    /// - Returns: What resumes and cancels the stream; letting go of it cancels.
    @inlinable public func pausableSink(receiveValue: @escaping StreamClosure<Output, Bool>) -> any Pausable
        & Cancellable
    {
        pausableSink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}

/// How far a pausable subscriber has got: what the subscriber shares with whoever may resume it.
@usableFromInline final class PauseState {
    @usableFromInline enum Phase: UInt8, AtomicRepresentable {
        /// A value has been asked for.
        case running
        /// A value is being delivered.
        case receiving
        /// `resume()` has been called during the delivery.
        case resumed
        case paused
    }

    @usableFromInline let phase = Atomic(Phase.running)

    @usableFromInline let upstream = SubscriptionSlot()

    @inlinable init() {}

    @inlinable func resume() {
        if change(.paused, to: .running) {
            upstream.request(.max(1))
        } else if !change(.receiving, to: .resumed), change(.paused, to: .running) {
            // The delivery ended in a pause between the first look and the second.
            upstream.request(.max(1))
        }
    }

    /// Ends a delivery.
    ///
    /// - Returns: What to ask for.
    @inlinable func demand(goesOn: Bool) -> Subscribers.Demand {
        if !goesOn, change(.receiving, to: .paused) { return .none }
        phase.store(.running, ordering: .releasing)
        return .max(1)
    }

    @inlinable func change(_ old: Phase, to new: Phase) -> Bool {
        phase.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }
}

/// A subscriber that takes values one by one and may pause.
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
        pause.phase.store(.receiving, ordering: .releasing)
        return pause.demand(goesOn: receiveValue(value))
    }

    @inlinable func receive(completion: Subscribers.Completion<Failure>) {
        if pause.upstream.close() { receiveCompletion(completion) }
    }
}

/// What resumes and cancels a pausable subscriber, and does not keep its closures.
@usableFromInline final class PauseHandle: Pausable, Cancellable {
    @usableFromInline let pause: PauseState

    @usableFromInline init(_ pause: PauseState) { self.pause = pause }

    deinit { cancel() }

    @usableFromInline var paused: Bool { pause.phase.load(ordering: .acquiring) == .paused && !pause.upstream.isClosed }

    @usableFromInline func resume() { pause.resume() }

    @usableFromInline func cancel() { pause.upstream.cancel() }
}
