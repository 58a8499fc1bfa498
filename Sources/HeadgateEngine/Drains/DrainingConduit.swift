import HeadgateCore
import HeadgateThread
import Synchronization

/// A conduit in which everything happens one after the other, and whose upstreams are requested from only after the drain
/// has been left.
///
/// An upstream that answers at once then finds the drain idle: its values go straight through, and neither pile up after
/// an owner that waits for `request(_:)` to return, nor run for ever without a chance to be cancelled. What a thread
/// finds to request while it is already requesting here is left to the loop that does so, which keeps the stack flat.
@usableFromInline package class DrainingConduit: ConduitSubscription {
    @usableFromInline package enum Phase {
        /// The subscriber is being connected, by the owner of the drain.
        case connecting
        case connected
        /// The stream has ended, or was cancelled.
        case over
    }

    @usableFromInline package let drain = Drain()

    /// What the subscriber has requested and not been given.
    @usableFromInline package let outstanding = OutstandingDemand()

    @usableFromInline package let name: StaticString

    // The next six belong to the owner of the drain, hence unchecked.
    @exclusivity(unchecked) @usableFromInline package final var phase = Phase.connecting

    /// Whether the owner, while it connects the subscriber, acts at once on what it meets itself: it is not delivering.
    @exclusivity(unchecked) @usableFromInline package final var mayReenter = false

    /// Whether it is acting so.
    ///
    /// It stays the owner when it has done so, whatever has become of the stream.
    @exclusivity(unchecked) final var hasReentered = false

    @exclusivity(unchecked) final var requests = Requests()

    /// Those to upstreams that send by themselves, which return at once.
    @exclusivity(unchecked) final var promptRequests = Requests()

    /// How many values of upstreams have been answered with demand while requests were due.
    @exclusivity(unchecked) final var answers = 0

    @usableFromInline package let hasRequests = Atomic(false)

    /// Whether requests are made at once, also inside another one of the same thread.
    ///
    /// For conduits whose upstreams need each other: one that answers a request for ever would starve the others. An
    /// upstream takes a request from inside its own delivery without nesting, so the stack stays flat.
    @usableFromInline package let requestsInside: Bool

    /// Creates the conduit.
    ///
    /// - Parameter handle: Acts on what the subscriber requests, and on its cancellation.
    @inlinable package init(
        name: StaticString, requestsInside: Bool = false, handle: @escaping (ConduitSubscription, Signal) -> Void
    ) {
        self.name = name
        self.requestsInside = requestsInside
        super.init(handle: handle)
    }

    /// Becomes the owner of the drain, if the caller does not have to wait for it.
    @inlinable @inline(__always) package final func enter() -> Bool { drain.enter() || reenter() }

    /// Becomes the owner of the drain, in the caller's turn.
    @inlinable @inline(__always) package final func takeTurn() -> Bool {
        drain.enter() || reenter() || waitForTurn()
    }

    @usableFromInline @inline(never) final func reenter() -> Bool {
        guard drain.isOwnedByCaller, mayReenter else { return false }
        mayReenter = false
        hasReentered = true
        // So that it leaves by the slow path.
        hasRequests.store(true, ordering: .relaxed)
        return true
    }

    @usableFromInline @inline(never) final func waitForTurn() -> Bool {
        if drain.waitForTurn(slows: true) { return true }
        // The wait may have been spent on work of others, who have left it.
        requestLater()
        return false
    }

    /// Leaves work to the owner of the drain.
    @usableFromInline @inline(never) package final func postpone(_ work: @escaping () -> Void) {
        drain.postpone(work)
        requestLater()
    }

    /// Does work at once, or leaves it to the owner of the drain: a caller who only requests or cancels does not wait.
    @inlinable @inline(__always) package final func attend(_ work: @escaping () -> Void) {
        if enter() {
            work()
            leave()
        } else {
            postpone(work)
        }
    }

    /// Notes what to request from an upstream when the drain has been left; for its owner to call.
    @usableFromInline package final func request(_ demand: Subscribers.Demand, from upstream: ConduitSubscription?) {
        guard demand > .none, let upstream else { return }
        if upstream.traits.contains(.sendsByItself) {
            promptRequests.append(demand, from: upstream)
        } else {
            requests.append(demand, from: upstream)
        }
        hasRequests.store(true, ordering: .relaxed)
    }

    /// Gives up what is still to be requested, because the stream is over; for the owner of the drain to call.
    @usableFromInline package final func forgetRequests() {
        requests = Requests()
        promptRequests = Requests()
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
    ///   - more: What the caller is going to request from an upstream by answering it.
    ///   - upstream: That upstream.
    /// - Returns: What to answer. Now and then none, if requests of others are due that would otherwise never get their
    ///   turn.
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

    /// Whether an upstream has kept a loop of requests on this thread waiting for a number of values.
    @usableFromInline final var hasAnsweredForLong: Bool {
        guard !hasReentered, !requestsInside, isRequesting else { return false }
        answers = (answers + 1) % 64
        return answers == 0
    }

    /// Whether the calling thread is inside a request that this conduit makes.
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

    /// Leaves and requests, until nothing more is due.
    final func leaveAndRequest() {
        repeat {
            let (prompt, others) = takeRequestsAndLeave()
            prompt.perform()
            others.perform()
        } while hasRequests.load(ordering: .relaxed) && (drain.enter() || drain.waitForTurn())
    }

    /// Stops being the owner of the drain, when all work is done, and takes over what is to be requested then.
    final func takeRequestsAndLeave() -> (prompt: Requests, others: Requests) {
        while true {
            drain.performWhatWaits()
            hasRequests.store(false, ordering: .relaxed)
            let prompt = exchange(&promptRequests, with: Requests())
            let others = exchange(&requests, with: Requests())
            if drain.leaveIfAlone() { return (prompt, others) }
            (promptRequests, requests) = (prompt, others)
            hasRequests.store(true, ordering: .relaxed)
        }
    }

    /// Requests what is due, if somebody's work has left something.
    @usableFromInline final func requestLater() {
        if hasRequests.load(ordering: .relaxed), drain.enter() || drain.waitForTurn() { leaveSlowly() }
    }

    /// Requests what is due from upstreams that send by themselves.
    ///
    /// So none of what the subscriber causes them to send while it is being connected passes it by. The others are
    /// requested from when the drain has been left.
    final func requestWhileConnecting() {
        let prompt = exchange(&promptRequests, with: Requests())
        hasReentered = false
        mayReenter = true
        prompt.perform()
    }

    @usableFromInline package override var description: String { name.description }
}
