import HeadgateCore
import Synchronization

/// The slot in which a subscriber stores its upstream's subscription: empty, then filled once, then closed permanently.
///
/// Any thread may request or cancel at any time, even before the subscription has arrived. The subscription is released
/// when the slot closes.
@usableFromInline package struct SubscriptionSlot: ~Copyable, Sendable {
    @usableFromInline package enum State {
        case empty
        // Not `any Subscription`: nearly every stage of a pipeline has a slot.
        case filled(ConduitSubscription)
        case closed
    }

    @usableFromInline package let state = Guarded(State.empty)

    // A copy of "closed" that is cheap to read, for the paths that are taken once per value.
    @usableFromInline package let closed = Atomic(false)

    @inlinable package init() {}

    /// Whether the stream has completed or been cancelled here.
    @inlinable package var isClosed: Bool { closed.load(ordering: .relaxed) }

    /// The subscription, while the slot is filled.
    @usableFromInline package var subscription: (any Subscription)? {
        guard let held else { return nil }
        return (held as? ForeignSubscription)?.original ?? held
    }

    /// The subscription as the slot stores it.
    @usableFromInline package var held: ConduitSubscription? {
        state.withLock {
            if case .filled(let subscription) = $0 { subscription } else { nil }
        }
    }

    /// Stores the subscription; cancels a second one, or one that arrives after the end.
    ///
    /// - Returns: Whether the subscription was stored.
    @usableFromInline package func fill(with subscription: any Subscription) -> Bool {
        let conduit = ConduitSubscription.holding(subscription)
        let isTaken = state.withLock {
            guard case .empty = $0 else { return false }
            $0 = .filled(conduit)
            return true
        }
        if !isTaken { subscription.cancel() }
        return isTaken
    }

    /// Requests values from upstream; does nothing before the subscription has arrived and after the end.
    @usableFromInline package func request(_ demand: Subscribers.Demand) {
        held?.request(demand)
    }

    /// What is known about how upstream's values arrive.
    @usableFromInline package var traits: SubscriptionTraits { held?.traits ?? (isClosed ? .answersDemandAtOnce : []) }

    /// Closes the slot because the stream has completed.
    ///
    /// - Returns: Whether it was open.
    @usableFromInline package func close() -> Bool {
        empty() != nil
    }

    /// Closes the slot and cancels upstream.
    ///
    /// - Returns: Whether it was open.
    @usableFromInline @discardableResult package func cancel() -> Bool {
        let old = empty()
        if case .filled(let subscription) = old { subscription.cancel() }
        return old != nil
    }

    /// Closes the slot; the caller cancels upstream.
    ///
    /// - Returns: The subscription, if the slot was filled.
    @usableFromInline package func take() -> ConduitSubscription? {
        if case .filled(let subscription) = empty() { subscription } else { nil }
    }

    /// Closes the slot.
    ///
    /// - Returns: The previous state, `nil` if it was closed.
    @usableFromInline package func empty() -> State? {
        state.withLock {
            if case .closed = $0 { return nil }
            let old = $0
            $0 = .closed
            // While locked: who finds it set, and drops a value, finds the slot closed, and drops the completion too.
            closed.store(true, ordering: .relaxed)
            return old
        }
    }
}

/// A slot that several objects share.
@usableFromInline package final class SharedSlot: Cancellable, Sendable {
    @usableFromInline package let slot = SubscriptionSlot()

    @inlinable package init() {}

    @usableFromInline package func cancel() { slot.cancel() }
}
