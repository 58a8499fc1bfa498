import HeadgateCore
import Synchronization

extension ConduitSubscription {
    /// Whether this is a gate that has closed: its upstream has completed or been cancelled.
    var isDetached: Bool { (self as? Gate)?.upstream.isClosed ?? false }
}

/// The upstreams that a subject is attached to.
///
/// Unlimited values are requested from them once any subscriber has demand. Attaching takes amortised constant time,
/// and detaching constant time: an upstream that has completed or been cancelled closes its gate, and stays in the list
/// until that has doubled.
@usableFromInline package struct UpstreamList: ~Copyable {
    @usableFromInline package enum Phase {
        /// No value has been requested yet.
        case waiting
        case open
        case cancelled
    }

    @usableFromInline package struct State {
        @usableFromInline package var phase = Phase.waiting

        @usableFromInline package var subscriptions: [ConduitSubscription] = []

        /// The length at which detached upstreams are removed.
        @usableFromInline package var limit = 8

        @inlinable package init() {}
    }

    @usableFromInline package let state = Guarded(State())

    // A copy of "not waiting", for the path that is taken at every request.
    @usableFromInline package let isOpen = Atomic(false)

    /// Whether values have been requested, so that the next caller to leave the subject's drain has to open the list.
    @usableFromInline package let isAwaited = Atomic(false)

    @inlinable package init() {}

    @usableFromInline package func add(_ subscription: ConduitSubscription) {
        let (phase, detached): (Phase, [ConduitSubscription]) = state.withLock { state in
            if state.phase == .cancelled { return (.cancelled, []) }
            let detached = state.subscriptions.count >= state.limit ? Self.dropDetached(&state) : []
            state.subscriptions.append(subscription)
            return (state.phase, detached)
        }
        switch phase {
        case .waiting: break
        case .open: subscription.request(.unlimited)
        case .cancelled: subscription.cancel()
        }
        // Released here, outside the lock.
        withExtendedLifetime(detached) {}
    }

    /// Keeps the attached ones, and waits until there are twice as many before checking again: so each is checked a
    /// constant number of times on average, even if upstreams come and go while others stay.
    ///
    /// - Returns: The removed upstreams, for the caller to release.
    static func dropDetached(_ state: inout State) -> [ConduitSubscription] {
        let all = state.subscriptions
        state.subscriptions = all.filter { !$0.isDetached }
        state.limit = Swift.max(8, 2 * state.subscriptions.count)
        return all
    }

    @inlinable package func open() {
        if isAwaited.load(ordering: .relaxed) || !isOpen.load(ordering: .relaxed) { requestEverything() }
    }

    @usableFromInline package func requestEverything() {
        isAwaited.store(false, ordering: .relaxed)
        isOpen.store(true, ordering: .relaxed)
        let waiting: [ConduitSubscription] = state.withLock {
            guard $0.phase == .waiting else { return [] }
            $0.phase = .open
            return $0.subscriptions
        }
        for subscription in waiting { subscription.request(.unlimited) }
    }

    @usableFromInline package func cancel() {
        let subscriptions = state.withLock {
            $0.phase = .cancelled
            return exchange(&$0.subscriptions, with: [])
        }
        for subscription in subscriptions { subscription.cancel() }
    }
}
