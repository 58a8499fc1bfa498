import HeadgateCore
import HeadgateThread
import Synchronization

/// A conduit that serves one subscriber from upstreams that may send on several threads: everything except how their
/// values are combined.
///
/// It handles one event at a time, as the owner of a drain, and requests from upstreams that answer at once only after
/// leaving the drain. Such an upstream then finds the drain idle: its values go straight through, and neither pile up
/// behind an owner that waits for `request(_:)` to return, nor run forever without a chance to be cancelled. One loop
/// makes these requests, which keeps the stack flat. What is due from an upstream that sends on its own is requested
/// before that, also from inside a delivery, so that nothing it sends is lost. Cancelling passes the drain by.
@usableFromInline package class JoiningConduit<Output, Failure: Error>: ConduitSubscription {
    // The order of the members keeps the conduit small.
    @usableFromInline package let drain = Drain()

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package final var phase = ConduitPhase.connecting

    /// Whether the subscriber is receiving a value.
    @exclusivity(unchecked) @usableFromInline final var isDelivering = false

    /// Whether the stream has completed or was cancelled.
    @exclusivity(unchecked) @usableFromInline package final var hasEnded = false

    /// Whether a request is under way, on whichever thread: the loop that has made it makes those that become due.
    @exclusivity(unchecked) final var isRequesting = false

    /// Counts the values that have been answered with demand.
    @exclusivity(unchecked) @usableFromInline final var answers: UInt8 = 0

    /// Whether the owner has something to do when it leaves the drain: to make requests, or to stay the owner because it
    /// has entered again.
    @usableFromInline package let leavesSlowly = Atomic(false)

    /// Whether what is due is requested only while the subscriber has demand.
    @usableFromInline let requestsWhileDemanded: Bool

    /// The subscriber's outstanding demand.
    @usableFromInline package let outstanding = OutstandingDemand()

    /// Demand that has arrived and has not been forwarded upstream, for conduits that forward it.
    @usableFromInline package final let inbox = OutstandingDemand()

    /// The upstreams that are cancelled with the stream.
    @usableFromInline final let attached = AttachedUpstreams()

    /// Whether requests are made even during another one, because the upstreams depend on each other: one that served a
    /// request forever would starve the others.
    ///
    /// An upstream handles a request from inside its own delivery without nesting, so the stack stays flat.
    @usableFromInline let requestsInside: Bool

    /// What is known about how the values arrive, when the subscriber is attached.
    // Written before the subscriber has its subscription, so whatever asks on any thread sees it.
    @exclusivity(unchecked) @usableFromInline final var knownTraits: SubscriptionTraits = []

    /// What waits and is dropped here, for the stage of a flow downstream, if there is one.
    @usableFromInline package final let counts = QueueCounts.register()

    // One word, where a `StaticString` takes three.
    @usableFromInline let name: UnsafePointer<UInt8>

    // Confined to the drain's owner.
    /// The upstreams from which something is to be requested, in the order in which it became due.
    @exclusivity(unchecked) @usableFromInline package final var due = UpstreamQueue()

    /// Those of them that send on their own, to which a request returns immediately.
    @exclusivity(unchecked) @usableFromInline package final var dueSenders = UpstreamQueue()

    @exclusivity(unchecked) @usableFromInline package final var downstream: Downstream<Output, Failure>

    /// The completion of a stream that ended before the subscriber had its subscription.
    @exclusivity(unchecked) @usableFromInline package final var earlyEnd: Subscribers.Completion<Failure>?

    /// Creates the conduit.
    ///
    /// - Parameter handle: Handles the subscriber's requests and its cancellation: `serving` or `forwarding`.
    @inlinable package init(
        name: StaticString, requestsWhileDemanded: Bool = false, requestsInside: Bool = false,
        _ downstream: AnySubscriber<Output, Failure>, handle: @escaping (ConduitSubscription, Signal) -> Void
    ) {
        self.name = name.utf8Start
        self.requestsWhileDemanded = requestsWhileDemanded
        self.requestsInside = requestsInside
        self.downstream = Downstream(downstream)
        super.init(handle: handle)
    }

    @usableFromInline package override var description: String { String(cString: name) }

    @usableFromInline package final override var traits: SubscriptionTraits {
        if knownTraits.contains(.answersLater) { return knownTraits }
        guard let upstream = passedOn, attached.subscription(of: upstream)?.traits.contains(.answersLater) ?? false
        else {
            return knownTraits
        }
        return knownTraits.union(.answersLater)
    }

    /// The upstream to which each request goes as it is, if there is one: a request returns when that has returned.
    @usableFromInline package var passedOn: Upstream? { nil }

    /// Notes how many values wait.
    @inlinable @inline(__always) package final func note(waiting count: @autoclosure () -> Int) {
        if let counts { counts.note(waiting: count()) }
    }

    /// Releases the waiting values, at the end.
    @inlinable package func releaseValues() {}

    /// Makes due what is requested only if nothing else is.
    @inlinable package func requestLast() {}

    /// Whether nobody receives anything any more: a sender doesn't wait for its turn.
    @inlinable package var isWithdrawn: Bool { outstanding.isClosed }

    /// Counts the subscriber, which has cancelled.
    ///
    /// - Returns: Whether nobody is left.
    @inlinable package func loseReceiver() -> Bool { true }
}

/// How far a conduit has come with its subscriber.
@usableFromInline package enum ConduitPhase {
    /// The owner of the drain is attaching the subscriber. It delivers nothing meanwhile, so it may enter again.
    case connecting
    /// It has entered again while connecting. It stays the owner when it leaves.
    case reentered
    case connected
}

// What the owner of the drain does.
extension JoiningConduit {
    /// Whether no further event matters.
    ///
    /// The stream has completed, was cancelled, or will complete as soon as the subscriber has its subscription. For
    /// the drain's owner, which releases everything when the subscriber has cancelled.
    @inlinable package final var isOver: Bool {
        if hasEnded || earlyEnd != nil { return true }
        if !outstanding.isClosed { return false }
        if !isDelivering { release() }
        return true
    }

    /// Takes the demand from the inbox and counts it as outstanding, to be forwarded upstream.
    @inlinable package final func takeDemand() -> Subscribers.Demand {
        let demand = inbox.takeAll()
        outstanding.add(demand)
        return demand
    }

    /// Delivers a value for which one unit of demand has been taken.
    ///
    /// - Returns: The demand that the subscriber returns.
    @inlinable @inline(__always) package final func deliver(_ value: Output) -> Subscribers.Demand {
        isDelivering = true
        let more = downstream.receive(value)
        isDelivering = false
        if more > .none {
            outstanding.add(more)
            requestWhatIsDue()
        }
        return more
    }

    /// Completes the stream, once the subscriber has its subscription.
    @inlinable package final func finish(_ completion: Subscribers.Completion<Failure>) {
        if hasEnded || earlyEnd != nil { return }
        if phase != .connected {
            earlyEnd = completion
            releaseUpstreams()
            return
        }
        let wasOpen = outstanding.close() != nil
        let receiveCompletion = release()
        if wasOpen { receiveCompletion?(completion) } else { Undeliverable.note(completion) }
    }

    /// Cancels the upstreams that have not completed, and releases everything.
    ///
    /// - Returns: The closure that delivers the completion to the subscriber.
    // Not inlined, so that `isOver` is, which is read once per value.
    @discardableResult @inlinable @inline(never)
    package final func release() -> ((Subscribers.Completion<Failure>) -> Void)? {
        hasEnded = true
        releaseUpstreams()
        return downstream.release()
    }

    @inlinable final func releaseUpstreams() {
        forgetRequests()
        attached.cancel()
        for upstream in attached.removeAll() { forget(upstream) }
        releaseValues()
        note(waiting: 0)
    }
}

// What the owner of the drain does with an upstream.
extension JoiningConduit {
    /// Stores the subscription to an upstream, which has been attached; cancels it if it arrives too late.
    @inlinable package final func accept(
        _ subscription: ConduitSubscription, of upstream: Upstream, if isWanted: Bool
    ) -> Bool {
        if upstream.hasEnded || !isWanted {
            cancel(upstream)
            return false
        }
        upstream.subscription = subscription
        return true
    }

    /// Cancels an upstream, unless it has completed.
    @inlinable package final func cancel(_ upstream: Upstream) {
        forget(upstream)
        attached.remove(upstream)?.cancel()
    }

    @inlinable final func forget(_ upstream: Upstream) {
        upstream.hasEnded = true
        upstream.subscription = nil
    }

    /// Records an upstream's completion.
    ///
    /// - Returns: Whether it is the first time.
    @inlinable package final func end(_ upstream: Upstream) -> Bool {
        if upstream.hasEnded { return false }
        forget(upstream)
        attached.remove(upstream)
        return true
    }

    /// Receives an upstream's completion: a failure completes the stream.
    @inlinable @inline(__always) package final func end(
        _ upstream: Upstream, _ completion: Subscribers.Completion<Failure>, whenFinished: () -> Void
    ) {
        if isOver || !end(upstream) { return }
        if case .failure = completion { finish(completion) } else { whenFinished() }
    }

    /// Records that something is due to be requested from an upstream.
    @usableFromInline package final func request(_ demand: Subscribers.Demand, from upstream: Upstream) {
        guard demand > .none, upstream.subscription != nil else { return }
        if upstream.due == .none {
            if upstream.traits.contains(.answersLater) { dueSenders.append(upstream) } else { due.append(upstream) }
        }
        upstream.due += demand
        requestWhatIsDue()
    }

    /// Has what is due requested, on leaving the drain, unless it waits for demand.
    @inlinable @inline(__always) package final func requestWhatIsDue() {
        if hasDue { leavesSlowly.store(true, ordering: .relaxed) }
    }

    /// Whether something is due that doesn't wait for demand.
    @inlinable final var hasDue: Bool {
        !(due.isEmpty && dueSenders.isEmpty) && (!requestsWhileDemanded || outstanding.isPending)
    }

    /// The demand to return to an upstream for its next value.
    ///
    /// None, and the request is made later, if there is no demand or it is, now and then, the turn of others. One that sends
    /// on its own would lose what it sends meanwhile.
    @inlinable @inline(__always) package final func demandForNext(of upstream: Upstream) -> Subscribers.Demand {
        answers &+= 1
        if outstanding.isPending, due.isEmpty || answers % 64 != 0 || upstream.traits.contains(.answersLater) {
            return .max(1)
        }
        request(.max(1), from: upstream)
        return .none
    }

    /// The demand for an upstream from which nothing is requested, once it is attached and there is demand; none before.
    ///
    /// The caller requests it.
    @inlinable @inline(__always) package final func demandOnce(
        _ demand: Subscribers.Demand, of upstream: Upstream
    ) -> Subscribers.Demand {
        if upstream.isRequested || upstream.subscription == nil || !outstanding.isPending { return .none }
        upstream.isRequested = true
        return demand
    }

    /// Makes the requests that are due from upstreams that send on their own.
    @usableFromInline package final func requestFromSenders() {
        while hasDue, let upstream = dueSenders.popFirst() {
            upstream.subscription?.request(exchange(&upstream.due, with: .none))
        }
    }

    /// Removes what is to be requested next.
    ///
    /// An upstream that answers at once may have used up the demand, so this is determined when the previous request has
    /// returned.
    final func nextRequest() -> (upstream: Upstream, subscription: ConduitSubscription, demand: Subscribers.Demand)? {
        repeat {
            while hasDue, let upstream = due.popFirst() {
                let demand = exchange(&upstream.due, with: .none)
                // It may have completed meanwhile, or the subscriber have cancelled.
                if let subscription = upstream.subscription { return (upstream, subscription, demand) }
            }
            requestLast()
            requestFromSenders()
        } while hasDue
        return nil
    }

    /// Drops what is due because the stream has ended.
    @usableFromInline package final func forgetRequests() {
        while let upstream = dueSenders.popFirst() ?? due.popFirst() { upstream.due = .none }
    }
}

// How a caller becomes the owner of the drain, and leaves it.
extension JoiningConduit {
    /// Becomes the owner of the drain, which is idle, to attach the subscriber.
    // Not inlinable: it stands once in the library, and not once per operator of a chain.
    @usableFromInline package final func beginConnecting() { _ = drain.enter() }

    /// Becomes the owner of the drain if the caller doesn't have to wait for it.
    @inlinable @inline(__always) package final func enter() -> Bool { drain.enter() || reenter() }

    /// Becomes the owner of the drain in the caller's turn.
    @inlinable @inline(__always) package final func takeTurn() -> Bool { drain.enter() || takeTurnSlowly() }

    @usableFromInline @inline(never) final func takeTurnSlowly() -> Bool {
        if reenter() { return true }
        if isWithdrawn { return false }
        if drain.waitForTurn() { return true }
        // The caller may have spent the wait on the work of others, which may have made requests pending.
        requestLater()
        return false
    }

    @usableFromInline @inline(never) final func reenter() -> Bool {
        guard drain.isOwnedByCaller, phase == .connecting else { return false }
        phase = .reentered
        leavesSlowly.store(true, ordering: .relaxed)
        // What other threads have enqueued meanwhile came first.
        drain.performWhatWaits()
        return true
    }

    /// Whether the caller is inside the delivery of a value, and may change the state of upstreams: the owner of the drain
    /// does nothing else meanwhile.
    @inlinable package final var isDeliveredByCaller: Bool {
        drain.isOwnedByCaller && isDelivering && !outstanding.isClosed
    }

    /// Does the work at once, or enqueues it for the drain's owner: a caller that only requests or cancels doesn't
    /// wait.
    @usableFromInline package final func attend(_ work: @escaping () -> Void) {
        if !enter() { return postpone(work) }
        work()
        leave()
    }

    /// Enqueues work for the drain's owner.
    @usableFromInline @inline(never) package final func postpone(_ work: @escaping () -> Void) {
        drain.postpone(work)
        requestLater()
    }

    /// Makes pending requests that another caller's work has recorded.
    @usableFromInline final func requestLater() {
        if leavesSlowly.load(ordering: .relaxed), drain.enter() || drain.waitToChange() { leaveSlowly() }
    }

    /// Gives up ownership of the drain and makes the pending requests.
    @inlinable @inline(__always) package final func leave() {
        if leavesSlowly.load(ordering: .relaxed) { leaveSlowly() } else if !drain.leave() { requestLater() }
    }

    /// Gives up ownership of the drain and makes the requests that are due, one at a time, until there are none.
    @usableFromInline @inline(never) final func leaveSlowly() {
        // What was sent from inside a delivery comes before anything that is sent next.
        drain.performWhatWaits()
        if phase == .reentered {
            phase = .connecting
            return requestFromSenders()
        }
        requestFromSenders()
        leavesSlowly.store(false, ordering: .relaxed)
        while !isRequesting || requestsInside, let next = nextRequest() {
            isRequesting = true
            // What has come meanwhile is performed before the request, and may have ended the stream.
            if drain.leaveToOthers() {
                next.subscription.request(next.demand)
                guard drain.enter() || drain.waitToChange() else {
                    return postpone {
                        self.isRequesting = false
                        self.requestWhatIsDue()
                    }
                }
            } else {
                request(next.demand, from: next.upstream)
            }
            isRequesting = false
            drain.performWhatWaits()
            requestFromSenders()
        }
        if !drain.leave() { requestLater() }
    }
}
