import HeadgateCore
import Synchronization

extension ConduitSubscription {
    /// Whether this is a gate that has closed: its upstream has ended or been cancelled.
    var isDetached: Bool { (self as? Gate)?.upstream.isClosed ?? false }
}

/// The upstreams that a subject is attached to.
///
/// Everything is requested of them as soon as anybody wants anything. Joining costs the same however many there are, on
/// average, and leaving always: an upstream that has ended or been cancelled closes its gate, and stays until the list
/// has doubled.
@usableFromInline package struct UpstreamList: ~Copyable {
    @usableFromInline package enum Phase {
        /// Nobody has requested a value yet.
        case waiting
        case open
        case cancelled
    }

    @usableFromInline package struct State {
        @usableFromInline package var phase = Phase.waiting

        @usableFromInline package var subscriptions: [ConduitSubscription] = []

        /// How long the list may get before detached upstreams are left out.
        @usableFromInline package var limit = 8

        @inlinable package init() {}
    }

    @usableFromInline package let state = Guarded(State())

    // A copy of "not waiting", for the path that is taken at every request.
    @usableFromInline package let isOpen = Atomic(false)

    /// Whether somebody has asked for values, and whoever leaves the subject's drain next has to open the list.
    @usableFromInline package let isAwaited = Atomic(false)

    @inlinable package init() {}

    @usableFromInline package func add(_ subscription: ConduitSubscription) {
        let (phase, detached): (Phase, [ConduitSubscription]) = state.withLock { state in
            if state.phase == .cancelled { return (.cancelled, []) }
            let detached = state.subscriptions.count >= state.limit ? Self.leaveOutDetached(&state) : []
            state.subscriptions.append(subscription)
            return (state.phase, detached)
        }
        switch phase {
        case .waiting: break
        case .open: subscription.request(.unlimited)
        case .cancelled: subscription.cancel()
        }
        // Released here, not under the lock.
        withExtendedLifetime(detached) {}
    }

    /// Keeps the living, and waits until there are twice as many before looking again: so each is looked at a constant
    /// number of times on average, also where upstreams come and go while others stay.
    ///
    /// - Returns: What was in the list, for the caller to release.
    static func leaveOutDetached(_ state: inout State) -> [ConduitSubscription] {
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
