import HeadgateCore
import Synchronization

extension Subscription {
    /// Whether this is a gate that has closed: its upstream has ended or been cancelled.
    var isDetached: Bool { (self as? Gate)?.upstream.isClosed ?? false }
}

/// The upstreams that a subject is attached to.
///
/// They are asked for everything as soon as anybody wants anything.
@usableFromInline package struct UpstreamList: ~Copyable {
    @usableFromInline package enum State {
        /// Nobody has asked for a value yet.
        case waiting([any Subscription])
        case open([any Subscription])
        case cancelled
    }

    @usableFromInline package let state = Guarded(State.waiting([]))

    // A copy of "not waiting", for the path that is taken at every request.
    @usableFromInline package let isOpen = Atomic(false)

    /// Whether somebody has asked for values, and whoever leaves the subject's drain next has to open the list.
    @usableFromInline package let isAwaited = Atomic(false)

    @inlinable package init() {}

    @usableFromInline package func add(_ subscription: any Subscription) {
        let (old, demand): ([any Subscription], Subscribers.Demand?) = state.withLock {
            switch $0 {
            case .waiting(let subscriptions):
                $0 = .waiting(Self.adding(subscription, to: subscriptions))
                return (subscriptions, Subscribers.Demand.none)
            case .open(let subscriptions):
                $0 = .open(Self.adding(subscription, to: subscriptions))
                return (subscriptions, .unlimited)
            case .cancelled:
                return ([], nil)
            }
        }
        // What was replaced is let go of here, not under the lock.
        _ = old
        guard let demand else { return subscription.cancel() }
        if demand > .none { subscription.request(demand) }
    }

    /// Leaves out what has been detached whenever the list is about to grow, so that a subject which is attached again
    /// and again keeps no more than twice what it is attached to.
    static func adding(_ subscription: any Subscription, to subscriptions: [any Subscription]) -> [any Subscription] {
        let isFull = subscriptions.count >= 8 && subscriptions.count & (subscriptions.count - 1) == 0
        let living = isFull ? subscriptions.filter { !$0.isDetached } : subscriptions
        return living + [subscription]
    }

    @inlinable package func open() {
        if isAwaited.load(ordering: .relaxed) || !isOpen.load(ordering: .relaxed) { requestEverything() }
    }

    @usableFromInline package func requestEverything() {
        isAwaited.store(false, ordering: .relaxed)
        isOpen.store(true, ordering: .relaxed)
        let waiting: [any Subscription] = state.withLock {
            guard case .waiting(let subscriptions) = $0 else { return [] }
            $0 = .open(subscriptions)
            return subscriptions
        }
        for subscription in waiting { subscription.request(.unlimited) }
    }

    @usableFromInline package func cancel() {
        let old = state.withLock {
            let old = $0
            $0 = .cancelled
            return old
        }
        switch old {
        case .waiting(let subscriptions), .open(let subscriptions):
            for subscription in subscriptions { subscription.cancel() }
        case .cancelled:
            break
        }
    }
}
