import HeadgateCore

/// One of the upstreams of a conduit.
// Confined to the owner of the conduit's drain. The order of the members keeps it small.
@usableFromInline package class Upstream {
    @exclusivity(unchecked) @usableFromInline package final var subscription: ConduitSubscription?

    /// The demand that is to be requested from it.
    @exclusivity(unchecked) @usableFromInline package final var due = Subscribers.Demand.none

    /// The next upstream from which something is to be requested.
    @exclusivity(unchecked) @usableFromInline package final var next: Upstream?

    // Guarded by the lock of the conduit's list.
    /// The subscription that is to be cancelled with the stream, while the upstream is in the list.
    @exclusivity(unchecked) fileprivate final var attached: ConduitSubscription?

    @exclusivity(unchecked) fileprivate final var position: Int32 = 0

    // Confined to upstream's deliveries, which are serial.
    /// Whether the upstream has sent its completion.
    @exclusivity(unchecked) @usableFromInline package final var hasSentCompletion = false

    // Confined to the drain's owner.
    /// Whether it has completed or been cancelled.
    @exclusivity(unchecked) @usableFromInline package final var hasEnded = false

    /// Whether something has been requested from it that has not arrived.
    @exclusivity(unchecked) @usableFromInline package final var isRequested = false

    @inlinable package init() {}

    /// What is known about how its values arrive; one that has ended sends none.
    @inlinable package final var traits: SubscriptionTraits {
        subscription?.traits ?? (hasEnded ? .answersDemandAtOnce : [])
    }
}

/// The upstreams of a conduit that have neither completed nor been cancelled, for whoever cancels them, on any thread.
///
/// Adding and removing take amortised constant time. The order is that in which they were attached, until one is removed.
// No links between them: releasing a long list would take as much stack.
@usableFromInline package struct AttachedUpstreams: ~Copyable {
    @usableFromInline struct State {
        var upstreams = ContiguousArray<Upstream>()

        var areCancelled = false
    }

    @usableFromInline let state = Guarded(State())

    @usableFromInline init() {}

    /// The upstreams that are attached now.
    @usableFromInline var all: ContiguousArray<Upstream> { state.withLock { $0.upstreams } }

    /// The subscription to an upstream that is attached now.
    @usableFromInline func subscription(of upstream: Upstream) -> ConduitSubscription? {
        state.withLock { _ in upstream.attached }
    }

    /// Adds an upstream with its subscription; cancels a second subscription, or one that arrives after the cancellation.
    ///
    /// - Returns: Whether it was added.
    @usableFromInline func add(_ upstream: Upstream, _ subscription: ConduitSubscription) -> Bool {
        let isAdded = state.withLock { state in
            if state.areCancelled || upstream.attached != nil { return false }
            upstream.attached = subscription
            upstream.position = Int32(state.upstreams.count)
            state.upstreams.append(upstream)
            return true
        }
        if !isAdded { subscription.cancel() }
        return isAdded
    }

    /// Removes an upstream, if it is in the list and has not been cancelled; the last one moves to its position.
    ///
    /// - Returns: Its subscription, for the caller to release or cancel.
    @usableFromInline @discardableResult func remove(_ upstream: Upstream) -> ConduitSubscription? {
        state.withLock { state in
            guard let subscription = upstream.attached.take() else { return nil }
            let last = state.upstreams.removeLast()
            if last !== upstream {
                state.upstreams[Int(upstream.position)] = last
                last.position = upstream.position
            }
            return subscription
        }
    }

    /// Cancels all of them, and each that is added from now on.
    @usableFromInline func cancel() {
        let subscriptions = state.withLock { state in
            state.areCancelled = true
            return state.upstreams.compactMap { $0.attached.take() }
        }
        for subscription in subscriptions { subscription.cancel() }
    }

    /// Removes all of them, which have been cancelled.
    @usableFromInline func removeAll() -> ContiguousArray<Upstream> {
        state.withLock { exchange(&$0.upstreams, with: []) }
    }
}

/// Upstreams in order; each of them is in one such queue at a time.
// A ring: the last one, whose `next` is the first, is all that has to be known. Each is retained by the one before it.
@usableFromInline package struct UpstreamQueue: ~Copyable {
    @usableFromInline private(set) var last: Unmanaged<Upstream>?

    @usableFromInline package init() {}

    deinit {
        var next = last?._withUnsafeGuaranteedRef { $0.next.take() }
        while let upstream = next { next = upstream.next.take() }
    }

    @inlinable package var isEmpty: Bool { last == nil }

    mutating func append(_ upstream: Upstream) {
        if let last {
            upstream.next = last._withUnsafeGuaranteedRef { exchange(&$0.next, with: upstream) }
        } else {
            upstream.next = upstream
        }
        last = .passUnretained(upstream)
    }

    mutating func popFirst() -> Upstream? {
        guard let last else { return nil }
        return last._withUnsafeGuaranteedRef { last in
            guard let first = last.next.take() else { return nil }
            if first === last { self.last = nil } else { last.next = first.next.take() }
            return first
        }
    }
}
