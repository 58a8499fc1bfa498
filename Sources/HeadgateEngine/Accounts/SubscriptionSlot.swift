import HeadgateCore
import Synchronization

/// The place where a subscriber keeps its upstream's subscription: empty, then filled once, then closed for ever.
///
/// Any thread may ask or cancel at any moment, also before the subscription has come. The subscription is let go of
/// when the slot closes.
@usableFromInline package struct SubscriptionSlot: ~Copyable, Sendable {
    @usableFromInline package enum State {
        case empty
        // Not `any Subscription`: there is a slot in nearly every stage of a pipeline.
        case filled(ConduitSubscription)
        case closed
    }

    @usableFromInline package let state = Guarded(State.empty)

    // A copy of "closed" that costs nothing to look at, for the paths that are taken once a value.
    @usableFromInline package let closed = Atomic(false)

    @inlinable package init() {}

    /// Whether the stream has ended or been cancelled here.
    @inlinable package var isClosed: Bool { closed.load(ordering: .relaxed) }

    /// The subscription, while the slot is filled.
    @inlinable package var subscription: (any Subscription)? {
        guard let held else { return nil }
        return (held as? ForeignSubscription)?.original ?? held
    }

    /// The subscription as the slot holds it.
    @inlinable package var held: ConduitSubscription? {
        state.withLock {
            if case .filled(let subscription) = $0 { subscription } else { nil }
        }
    }

    /// Takes the subscription in; a second one, or one that comes after the end, is cancelled.
    ///
    /// - Returns: Whether the subscription was taken in.
    @inlinable package func fill(with subscription: any Subscription) -> Bool {
        let conduit = subscription.held
        let isTaken = state.withLock {
            guard case .empty = $0 else { return false }
            $0 = .filled(conduit)
            return true
        }
        if !isTaken { subscription.cancel() }
        return isTaken
    }

    /// Asks upstream for values; does nothing before the subscription has come and after the end.
    @inlinable package func request(_ demand: Subscribers.Demand) {
        held?.request(demand)
    }

    /// What is known of how upstream's values come.
    @inlinable package var traits: SubscriptionTraits { held?.traits ?? [] }

    /// Closes the slot because the stream has ended.
    ///
    /// - Returns: Whether it was open.
    @inlinable package func close() -> Bool {
        empty() != nil
    }

    /// Closes the slot and cancels upstream.
    ///
    /// - Returns: Whether it was open.
    @inlinable @discardableResult package func cancel() -> Bool {
        switch empty() {
        case nil, .closed:
            return false
        case .empty:
            return true
        case .filled(let subscription):
            subscription.cancel()
            return true
        }
    }

    /// Closes the slot, for a caller who cancels upstream.
    ///
    /// - Returns: The subscription, if the slot was filled.
    @inlinable package func take() -> ConduitSubscription? {
        if case .filled(let subscription) = empty() { subscription } else { nil }
    }

    /// Closes the slot.
    ///
    /// - Returns: What it held while it was open, `nil` if it was closed.
    @inlinable package func empty() -> State? {
        closed.store(true, ordering: .relaxed)
        return state.withLock {
            if case .closed = $0 { return nil }
            let old = $0
            $0 = .closed
            return old
        }
    }
}

/// A slot that several objects share.
@usableFromInline package final class SharedSlot: Cancellable, Sendable {
    @usableFromInline package let slot = SubscriptionSlot()

    @inlinable package init() {}

    @inlinable package func cancel() { slot.cancel() }
}
