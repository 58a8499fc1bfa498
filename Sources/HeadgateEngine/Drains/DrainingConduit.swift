import HeadgateCore
import HeadgateThread
import Synchronization

/// A conduit that handles one event at a time, and makes requests to its upstreams only after leaving the drain.
///
/// An upstream that delivers immediately then finds the drain idle: its values go straight through, and neither pile up
/// behind an owner that waits for `request(_:)` to return, nor run forever without a chance to be cancelled. A request
/// made while the thread is already requesting here is left to the loop that does so, which keeps the stack flat.
@usableFromInline package class DrainingConduit: ConduitSubscription {
    @usableFromInline package enum Phase {
        /// The owner of the drain is attaching the subscriber.
        case connecting
        case connected
        /// The stream has completed or was cancelled.
        case over
    }

    @usableFromInline package let drain = Drain()

    /// The subscriber's outstanding demand.
    @usableFromInline package let outstanding = OutstandingDemand()

    @usableFromInline package let name: ConduitName

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package final var phase = Phase.connecting

    /// Whether the owner may enter again while it attaches the subscriber: it is not delivering.
    @exclusivity(unchecked) @usableFromInline package final var mayReenter = false

    /// Whether it has entered again.
    ///
    /// It stays the owner afterwards, whatever has become of the stream.
    @exclusivity(unchecked) final var hasReentered = false

    @exclusivity(unchecked) final var requests = Requests()

    /// The requests to upstreams that send on their own, which return immediately.
    @exclusivity(unchecked) final var promptRequests = Requests()

    /// Whether `nextRequest` may have something to request.
    @exclusivity(unchecked) @usableFromInline package final var hasChoice = false

    /// How many values have been answered with demand while requests were pending.
    @exclusivity(unchecked) final var answers: UInt8 = 0

    @usableFromInline package let hasRequests = Atomic(false)

    /// What is known about how the values arrive, when the subscriber is attached.
    // Written before the subscriber has its subscription, so whatever asks on any thread sees it.
    @exclusivity(unchecked) @usableFromInline final var knownTraits: SubscriptionTraits = []

    /// Whether requests are made at once, even during another one on the same thread.
    ///
    /// For conduits whose upstreams depend on each other: one that served a request forever would starve the others. An
    /// upstream handles a request from inside its own delivery without nesting, so the stack stays flat.
    @usableFromInline package let requestsInside: Bool

    /// Creates the conduit.
    ///
    /// - Parameter handle: Handles the subscriber's requests and its cancellation.
    @inlinable package init(
        name: StaticString, requestsInside: Bool = false, handle: @escaping (ConduitSubscription, Signal) -> Void
    ) {
        self.name = ConduitName(name)
        self.requestsInside = requestsInside
        super.init(handle: handle)
    }

    /// Becomes the owner of the drain, which is idle, to attach the subscriber.
    @usableFromInline package final func beginConnecting() {
        _ = drain.enter()
        mayReenter = true
    }

    /// Becomes the owner of the drain if the caller doesn't have to wait for it.
    @inlinable @inline(__always) package final func enter() -> Bool { drain.enter() || reenter() }

    /// Becomes the owner of the drain in the caller's turn.
    @inlinable @inline(__always) package final func takeTurn() -> Bool {
        drain.enter() || takeTurnSlowly()
    }

    @usableFromInline @inline(never) final func takeTurnSlowly() -> Bool { reenter() || waitForTurn() }

    @usableFromInline @inline(never) final func reenter() -> Bool {
        guard drain.isOwnedByCaller, mayReenter else { return false }
        mayReenter = false
        hasReentered = true
        // So that it leaves by the slow path.
        hasRequests.store(true, ordering: .relaxed)
        return true
    }

    final func waitForTurn() -> Bool {
        if drain.waitForTurn(slows: true) { return true }
        // The caller may have spent the wait on the work of others, which may have made requests pending.
        requestLater()
        return false
    }

    /// Enqueues work for the drain's owner.
    @usableFromInline @inline(never) package final func postpone(_ work: @escaping () -> Void) {
        drain.postpone(work)
        requestLater()
    }

    /// Does the work at once, or enqueues it for the drain's owner: a caller that only requests or cancels doesn't
    /// wait.
    @usableFromInline package final func attend(_ work: @escaping () -> Void) {
        if enter() {
            work()
            leave()
        } else {
            postpone(work)
        }
    }

    /// Records a request to an upstream, to be made after leaving the drain; called by the drain's owner.
    @usableFromInline package final func request(
        _ demand: Subscribers.Demand, from upstream: consuming ConduitSubscription?
    ) {
        guard demand > .none, let upstream = upstream.take() else { return }
        if upstream.traits.contains(.sendsByItself) {
            promptRequests.append(demand, from: upstream)
        } else {
            requests.append(demand, from: upstream)
        }
        hasRequests.store(true, ordering: .relaxed)
    }

    /// Lets `nextRequest` choose what is requested, after leaving the drain; called by the drain's owner.
    @usableFromInline package final func requestByChoice() {
        hasChoice = true
        hasRequests.store(true, ordering: .relaxed)
    }

    /// Whether other requests will be chosen before the caller returns demand to its upstream, and may use that up.
    @inlinable package final var choosesFirst: Bool { hasChoice && !isRequesting }

    /// Chooses the next request that is made only if there is a reason when the previous one has returned: an upstream
    /// that answers at once may have used up the demand.
    ///
    /// Called by the drain's owner.
    @usableFromInline package func nextRequest() -> (demand: Subscribers.Demand, upstream: ConduitSubscription)? { nil }

    /// Drops the pending requests because the stream has ended; called by the drain's owner.
    @usableFromInline package final func forgetRequests() {
        requests = Requests()
        promptRequests = Requests()
        hasChoice = false
    }

    /// Gives up ownership of the drain and makes the pending requests.
    @inlinable @inline(__always) package final func leave() {
        if !hasRequests.load(ordering: .relaxed) {
            if !drain.leave() { requestLater() }
        } else {
            leaveSlowly()
        }
    }

    /// Gives up ownership of the drain and makes the pending requests.
    ///
    /// - Parameters:
    ///   - more: The demand that the caller is going to return to an upstream.
    ///   - upstream: That upstream.
    /// - Returns: The demand to return. Occasionally none, if requests to other upstreams are pending that would
    ///   otherwise starve.
    @inlinable @inline(__always) package final func leave(
        answering more: Subscribers.Demand, to upstream: @autoclosure () -> ConduitSubscription?
    ) -> Subscribers.Demand {
        if !hasRequests.load(ordering: .relaxed) {
            if !drain.leave() { requestLater() }
            return more
        }
        if more > .none, hasAnsweredForLong {
            request(more, from: upstream())
            leaveSlowly()
            return .none
        }
        leaveSlowly()
        return more
    }

    /// Whether an upstream has delayed a loop of requests on this thread by a number of values.
    @usableFromInline final var hasAnsweredForLong: Bool {
        guard !hasReentered, !requestsInside, isRequesting else { return false }
        answers = (answers + 1) % 64
        return answers == 0
    }

    /// Whether the calling thread is inside a request made by this conduit.
    @usableFromInline final var isRequesting: Bool {
        headgate_is_marked(Unmanaged.passUnretained(self).toOpaque()) != 0
    }

    @usableFromInline @inline(never) final func leaveSlowly() {
        if hasReentered { return requestWhileConnecting() }
        if requestsInside { return leaveAndRequest() }
        if isRequesting {
            let prompt = exchange(&promptRequests, with: Requests())
            drain.leave()
            return prompt.perform()
        }
        var mark = headgate_mark(conduit: Unmanaged.passUnretained(self).toOpaque(), outer: nil)
        withUnsafeMutablePointer(to: &mark) { mark in
            headgate_push_mark(mark)
            leaveAndRequest()
            headgate_pop_mark()
        }
    }

    /// Leaves and makes the pending requests, until there are no more.
    final func leaveAndRequest() {
        repeat {
            leaveAndRequestOnce()
        } while hasRequests.load(ordering: .relaxed) && (drain.enter() || drain.waitForTurn())
    }

    /// Gives up ownership of the drain when all work is done, and makes the pending requests.
    final func leaveAndRequestOnce() {
        while true {
            drain.performWhatWaits()
            choose()
            hasRequests.store(hasChoice, ordering: .relaxed)
            let prompt = exchange(&promptRequests, with: Requests())
            let others = exchange(&requests, with: Requests())
            if drain.leaveIfAlone() {
                prompt.perform()
                return others.perform()
            }
            promptRequests = prompt
            requests = others
            hasRequests.store(true, ordering: .relaxed)
        }
    }

    /// Chooses the next request, unless others are pending.
    final func choose() {
        guard hasChoice, requests.isEmpty, promptRequests.isEmpty else { return }
        guard let next = nextRequest() else { return hasChoice = false }
        request(next.demand, from: next.upstream)
    }

    /// Performs what was enqueued meanwhile, and stays the owner.
    @usableFromInline final func performWhatWaits() { drain.performWhatWaits() }

    /// Whether requests are pending that may take long; for the drain's owner.
    @inlinable @inline(__always) final var hasSlowRequests: Bool {
        hasRequests.load(ordering: .relaxed) && requestsMayTakeLong
    }

    @usableFromInline final var requestsMayTakeLong: Bool { !requests.isEmpty }

    /// Makes pending requests that another caller's work has recorded.
    @usableFromInline final func requestLater() {
        if hasRequests.load(ordering: .relaxed), drain.enter() || drain.waitForTurn() { leaveSlowly() }
    }

    /// Makes the pending requests to upstreams that send on their own.
    ///
    /// So nothing that they send while the subscriber is being attached bypasses it. The others are requested from
    /// after leaving the drain.
    final func requestWhileConnecting() {
        // What was sent from inside a delivery meanwhile comes before anything that the subscriber sends next.
        performWhatWaits()
        let prompt = exchange(&promptRequests, with: Requests())
        hasReentered = false
        mayReenter = true
        prompt.perform()
    }

    /// What is known about how the values arrive, by what is known of the upstreams; for the drain's owner.
    @usableFromInline package var traitsByUpstreams: SubscriptionTraits { [] }

    // Not of the upstreams, whose subscriptions belong to the drain's owner.
    @usableFromInline package final override var traits: SubscriptionTraits { knownTraits }

    @usableFromInline package override var description: String { name.description }
}
