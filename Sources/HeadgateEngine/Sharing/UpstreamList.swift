import HeadgateCore
import Synchronization

/// The upstreams that a subject is attached to.
///
/// Unlimited values are requested from them once any subscriber has demand. Attaching takes amortised constant time,
/// and detaching constant time: an upstream that has completed or been cancelled closes its gate, and stays in the list
/// until there is no room for the next one.
@usableFromInline package struct UpstreamList: ~Copyable {
    /// The upstreams; none once they are cancelled.
    @usableFromInline package let subscriptions = Guarded<[ConduitSubscription]?>([])

    // Written under the lock.
    @usableFromInline package let isOpen = Atomic(false)

    @inlinable package init() {}

    @usableFromInline package func add(_ subscription: ConduitSubscription) {
        let (isCancelled, isOpen, detached) = subscriptions.withLock { list in
            guard var all = list.take() else { return (true, false, []) }
            let detached = all.count == all.capacity ? Self.dropDetached(&all) : []
            all.append(subscription)
            list = all
            return (false, self.isOpen.load(ordering: .relaxed), detached)
        }
        if isCancelled { subscription.cancel() } else if isOpen { subscription.request(.unlimited) }
        // Released here, outside the lock.
        withExtendedLifetime(detached) {}
    }

    /// Keeps the attached ones, with room for as many again: so each is checked a constant number of times on average, even
    /// if upstreams come and go while others stay.
    ///
    /// - Returns: The list before, for the caller to release.
    static func dropDetached(_ list: inout [ConduitSubscription]) -> [ConduitSubscription] {
        var attached = list.filter { !$0.isDetached }
        attached.reserveCapacity(max(8, 2 * attached.count))
        return exchange(&list, with: attached)
    }

    @inlinable package func open() {
        if !isOpen.load(ordering: .relaxed) { requestEverything() }
    }

    @usableFromInline package func requestEverything() {
        let waiting = subscriptions.withLock { isOpen.exchange(true, ordering: .relaxed) ? nil : $0 }
        for subscription in waiting ?? [] { subscription.request(.unlimited) }
    }

    @usableFromInline package func cancel() {
        for subscription in subscriptions.withLock({ $0.take() }) ?? [] { subscription.cancel() }
    }
}

extension ConduitSubscription {
    /// Whether this is a gate that has closed: its upstream has completed or been cancelled.
    var isDetached: Bool { (self as? Gate)?.upstream.isClosed ?? false }
}
