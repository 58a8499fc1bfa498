import HeadgateCore
import HeadgateThread
import Synchronization

/// A conduit that serves one subscriber from upstreams that may send on several threads: everything except how their
/// values are combined.
///
/// It handles one event at a time, as the owner of a drain, and makes requests to its upstreams only after leaving the
/// drain. An upstream that delivers immediately then finds the drain idle: its values go straight through, and neither
/// pile up behind an owner that waits for `request(_:)` to return, nor run forever without a chance to be cancelled. A
/// request made while the thread is already requesting here is left to the loop that does so, which keeps the stack
/// flat.
@usableFromInline package class JoiningConduit<Output, Failure: Error>: ConduitSubscription {
    @usableFromInline package let drain = Drain()

    /// The subscriber's outstanding demand.
    @usableFromInline package let outstanding = OutstandingDemand()

    /// Demand that has arrived and has not been forwarded upstream, for conduits that forward it.
    @usableFromInline package final let inbox = OutstandingDemand()

    // One word, where a `StaticString` takes three.
    @usableFromInline let name: UnsafePointer<UInt8>

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package final var phase = ConduitPhase.connecting

    /// Whether the stream has completed or was cancelled.
    @exclusivity(unchecked) @usableFromInline package final var hasEnded = false

    /// The upstreams from which something is to be requested, in the order in which it became due.
    @exclusivity(unchecked) @usableFromInline package final var due = UpstreamQueue()

    /// Those of them that send on their own, to which a request returns immediately.
    @exclusivity(unchecked) @usableFromInline package final var dueSenders = UpstreamQueue()

    /// The upstream that comes last, if something is due from it.
    @exclusivity(unchecked) @usableFromInline package final var dueLast: Upstream?

    /// How many values have been answered with demand while requests were pending.
    @exclusivity(unchecked) final var answers: UInt8 = 0

    /// Whether the owner has something to do when it leaves the drain: to make requests, or to stay the owner because it
    /// has entered again.
    @usableFromInline package let leavesSlowly = Atomic(false)

    /// When what is due from the upstreams is requested.
    @usableFromInline let rule: RequestRule

    /// Whether requests are made at once, even during another one on the same thread.
    ///
    /// For conduits whose upstreams depend on each other: one that served a request forever would starve the others. An
    /// upstream handles a request from inside its own delivery without nesting, so the stack stays flat.
    @usableFromInline package let requestsInside: Bool

    /// What is known about how the values arrive, when the subscriber is attached.
    // Written before the subscriber has its subscription, so whatever asks on any thread sees it.
    @exclusivity(unchecked) @usableFromInline final var knownTraits: SubscriptionTraits = []

    @exclusivity(unchecked) @usableFromInline package final var downstream: Downstream<Output, Failure>

    /// The completion of a stream that ended before the subscriber had its subscription.
    @exclusivity(unchecked) @usableFromInline package final var earlyEnd: Subscribers.Completion<Failure>?

    /// Creates the conduit.
    ///
    /// - Parameter handle: Handles the subscriber's requests and its cancellation: `serving` or `forwarding`.
    @inlinable package init(
        name: StaticString, rule: RequestRule = .always, requestsInside: Bool = false,
        _ downstream: AnySubscriber<Output, Failure>, handle: @escaping (ConduitSubscription, Signal) -> Void
    ) {
        self.name = name.utf8Start
        self.rule = rule
        self.requestsInside = requestsInside
        self.downstream = Downstream(downstream)
        super.init(handle: handle)
    }

    @usableFromInline package override var description: String { String(cString: name) }

    // Not of the upstreams, whose subscriptions belong to the drain's owner.
    @usableFromInline package final override var traits: SubscriptionTraits { knownTraits }

    /// Cancels the upstreams that have not completed, and releases the waiting values.
    @inlinable package func releaseUpstreams() {}
}

/// When a conduit requests from its upstreams what is due.
@usableFromInline package enum RequestRule {
    case always
    /// While the subscriber has demand.
    case whileDemanded
    /// While the subscriber has demand, and no more than that at once.
    ///
    /// What others have used up meanwhile is due no more.
    case upToDemand
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
        release()
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
        let more = downstream.receive(value)
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
            forgetRequests()
            releaseUpstreams()
            return
        }
        let wasOpen = outstanding.close() != nil
        let receiveCompletion = release()
        if wasOpen { receiveCompletion?(completion) } else { Undeliverable.note(completion) }
    }

    /// Receives an upstream's completion: a failure completes the stream.
    @inlinable @inline(__always) package final func end(
        _ upstream: Upstream, _ completion: Subscribers.Completion<Failure>, whenFinished: () -> Void
    ) {
        if isOver || !upstream.end() { return }
        if case .failure = completion { finish(completion) } else { whenFinished() }
    }

    /// Cancels the upstreams that have not completed, and releases everything.
    ///
    /// - Returns: The closure that delivers the completion to the subscriber.
    // Not inlined, so that `isOver` is, which is read once per value.
    @discardableResult @inlinable @inline(never)
    package final func release() -> ((Subscribers.Completion<Failure>) -> Void)? {
        hasEnded = true
        forgetRequests()
        releaseUpstreams()
        return downstream.release()
    }

    /// Records that something is due to be requested from an upstream, after leaving the drain.
    @usableFromInline package final func request(_ demand: Subscribers.Demand, from upstream: Upstream) {
        guard demand > .none, upstream.subscription != nil else { return }
        if upstream.due == .none {
            if upstream.comesLast {
                dueLast = upstream
            } else if upstream.traits.contains(.sendsByItself) {
                dueSenders.append(upstream)
            } else {
                due.append(upstream)
            }
        }
        upstream.due += demand
        requestWhatIsDue()
    }

    /// Has what is due requested, after leaving the drain, unless it waits for demand.
    @inlinable @inline(__always) package final func requestWhatIsDue() {
        if hasDue { leavesSlowly.store(true, ordering: .relaxed) }
    }

    /// Whether something is due that doesn't wait for demand.
    @inlinable final var hasDue: Bool {
        if due.isEmpty, dueSenders.isEmpty { return dueLast != nil && outstanding.isPending }
        return rule == .always || outstanding.isPending
    }

    /// Whether something else is due, and may use up the demand that the caller is about to return to its upstream.
    @inlinable package final var isDueBefore: Bool { !due.isEmpty && !isRequesting }

    /// The demand to return to an upstream for its next value: none, and the request is made later, if there is no demand or
    /// others may use it up before.
    @inlinable @inline(__always) package final func demandForNext(of upstream: Upstream) -> Subscribers.Demand {
        if outstanding.isPending, !isDueBefore { return .max(1) }
        request(.max(1), from: upstream)
        return .none
    }

    /// Removes what is to be requested next.
    ///
    /// An upstream that answers at once may have used up the demand, so this is determined when the previous request has
    /// returned.
    ///
    /// - Parameter fromAll: Whether the request may take long.
    /// - Returns: The upstream, its subscription, and the demand; `nil` if nothing is due.
    final func nextRequest(
        fromAll: Bool
    ) -> (upstream: Upstream, subscription: ConduitSubscription, demand: Subscribers.Demand)? {
        while hasDue, let upstream = dueSenders.popFirst() ?? (fromAll ? due.popFirst() ?? dueLast.take() : nil) {
            let all = exchange(&upstream.due, with: .none)
            let demand = rule == .upToDemand ? min(all, outstanding.current) : all
            // It may have completed meanwhile, or the subscriber have cancelled.
            guard let subscription = upstream.subscription, demand > .none else { continue }
            return (upstream, subscription, demand)
        }
        return nil
    }

    /// Drops what is due because the stream has ended.
    @usableFromInline package final func forgetRequests() {
        while let upstream = dueSenders.popFirst() ?? due.popFirst() ?? dueLast.take() { upstream.due = .none }
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
        if reenter() || drain.waitForTurn(slows: true) { return true }
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
        if leavesSlowly.load(ordering: .relaxed), drain.enter() || drain.waitForTurn() { leaveSlowly() }
    }

    /// Gives up ownership of the drain and makes the pending requests.
    @inlinable @inline(__always) package final func leave() {
        if leavesSlowly.load(ordering: .relaxed) { leaveSlowly() } else if !drain.leave() { requestLater() }
    }

    /// Gives up ownership of the drain and makes the pending requests.
    ///
    /// - Parameters:
    ///   - more: The demand that the caller is going to return to an upstream.
    ///   - upstream: That upstream.
    /// - Returns: The demand to return. Occasionally none, if requests to other upstreams are pending that would
    ///   otherwise starve.
    @inlinable @inline(__always) package final func leave(
        answering more: Subscribers.Demand, to upstream: @autoclosure () -> Upstream
    ) -> Subscribers.Demand {
        if more > .none, !due.isEmpty, hasAnsweredForLong {
            request(more, from: upstream())
            leaveSlowly()
            return .none
        }
        leave()
        return more
    }

    /// Whether an upstream has delayed a loop of requests on this thread by a number of values.
    @usableFromInline final var hasAnsweredForLong: Bool {
        guard phase != .reentered, !requestsInside, isRequesting else { return false }
        answers = (answers + 1) % 64
        return answers == 0
    }

    /// Whether the calling thread is inside a request made by this conduit.
    @usableFromInline final var isRequesting: Bool {
        headgate_is_marked(Unmanaged.passUnretained(self).toOpaque()) != 0
    }

    @usableFromInline @inline(never) final func leaveSlowly() {
        if phase == .reentered {
            // What was sent from inside a delivery meanwhile comes before anything that the subscriber sends next.
            drain.performWhatWaits()
            phase = .connecting
            // Nothing that these upstreams send while the subscriber is being attached may bypass it. The others are
            // requested from after leaving the drain.
            while let next = nextRequest(fromAll: false) { next.subscription.request(next.demand) }
        } else if requestsInside {
            leaveAndRequest(fromAll: true)
        } else if isRequesting {
            // The loop that is requesting makes the other requests.
            if dueSenders.isEmpty { drain.leave() } else { leaveAndRequest(fromAll: false) }
        } else {
            var mark = headgate_mark(conduit: Unmanaged.passUnretained(self).toOpaque(), outer: nil)
            withUnsafeMutablePointer(to: &mark) { mark in
                headgate_push_mark(mark)
                leaveAndRequest(fromAll: true)
                headgate_pop_mark()
            }
        }
    }

    /// Gives up ownership when all work is done and makes the requests that are due, until there are no more.
    final func leaveAndRequest(fromAll: Bool) {
        repeat {
            drain.performWhatWaits()
            let next = nextRequest(fromAll: fromAll)
            let goesOn = hasDue
            // As this loop goes on, callers that come during the request leave quickly; unless it may never return.
            if fromAll { leavesSlowly.store(requestsInside && goesOn, ordering: .relaxed) }
            if !drain.leaveToOthers() {
                // What has come meanwhile is performed before the request, and may have ended the stream.
                if let next { request(next.demand, from: next.upstream) }
                continue
            }
            guard let next else { return }
            next.subscription.request(next.demand)
            if !goesOn, !leavesSlowly.load(ordering: .relaxed) { return }
        } while drain.isOwnedByCaller || enterForRequests()
    }

    /// Becomes the owner of the drain to make the requests that are due, or leaves them to another caller.
    final func enterForRequests() -> Bool {
        if drain.enter() || drain.waitForTurn() { return true }
        drain.postpone { self.requestWhatIsDue() }
        return leavesSlowly.load(ordering: .relaxed) && drain.enter()
    }
}

/// What a joining conduit does with the events of its upstreams, its sides, and of its subscriber.
///
/// The drain's owner calls the functions, one at a time, and calls those for requests only if something may have waited
/// for them.
@usableFromInline package protocol Joining where Self: JoiningConduit<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error
    associatedtype Side: Upstream = Upstream

    /// What is known about how the values arrive, by what is known of the upstreams.
    var traitsByUpstreams: SubscriptionTraits { get }

    /// Whether nobody is left to receive what the upstreams send.
    var takesNothing: Bool { get }

    /// Makes the initial requests, when the subscriber is attached.
    func start()

    /// Makes the necessary requests, and delivers the waiting values as far as there is demand.
    func serve()

    /// Called when the subscriber has cancelled.
    func withdraw()

    /// Receives the subscription to a side.
    ///
    /// - Returns: The demand to request.
    func connect(_ side: Side, to subscription: ConduitSubscription) -> Subscribers.Demand

    /// Called when a side has completed.
    func end(_ side: Side, _ completion: Subscribers.Completion<Failure>)
}

extension Joining {
    @inlinable package var traitsByUpstreams: SubscriptionTraits { [] }

    @inlinable package var takesNothing: Bool { isOver }

    @inlinable package func start() { serve() }

    @inlinable package func withdraw() { release() }

    /// Attaches the subscriber: the conduit subscribes to its upstreams, sends its own subscription downstream, and
    /// then makes its initial requests.
    ///
    /// - Parameter attach: Subscribes to the upstreams.
    @inlinable package func connect(_ subscriber: some Subscriber<Output, Failure>, attach: () -> Void) {
        beginConnecting()
        attach()
        endConnecting(subscriber)
    }

    /// Sends the subscriber its subscription, and makes the initial requests.
    // Not inlined: it stands once in a client's code, and not once per operator of a chain.
    @inlinable @inline(never) func endConnecting(_ subscriber: some Subscriber<Output, Failure>) {
        knownTraits = traitsByUpstreams
        subscriber.receive(subscription: self)
        phase = .connected
        if let completion = earlyEnd.take() { finish(completion) } else if !isOver { start() }
        leave()
    }

    // Two closures that capture nothing, created where the type of the conduit is known.

    /// Adds to the outstanding demand, and serves what has waited for it.
    @inlinable package static var serving: (ConduitSubscription, Signal) -> Void {
        { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: Self.self)
            switch signal {
            case .request(let demand):
                guard let before = conduit.outstanding.add(demand) else { return }
                // If demand was left over, nothing waits.
                if before == .none || before != .unlimited && before + demand == .unlimited {
                    conduit.attend { conduit.serveAll() }
                }
            case .cancel: conduit.closeAtCancel()
            }
        }
    }

    /// Puts demand into the inbox, from which it is forwarded upstream.
    @inlinable package static var forwarding: (ConduitSubscription, Signal) -> Void {
        { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: Self.self)
            switch signal {
            case .request(let demand):
                if !conduit.outstanding.isClosed, conduit.inbox.add(demand) == Subscribers.Demand.none {
                    conduit.attend { conduit.serveAll() }
                }
            case .cancel: conduit.closeAtCancel()
            }
        }
    }

    @inlinable func serveAll() {
        serve()
        requestWhatIsDue()
    }

    @inlinable func closeAtCancel() {
        if outstanding.close() != nil { attend { self.withdraw() } }
    }
}
