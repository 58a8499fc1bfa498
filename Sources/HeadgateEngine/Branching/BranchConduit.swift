import HeadgateCore

/// Divides the values of one upstream among publishers that it delivers, the branches, each with its own subscriber and
/// demand.
///
/// A number of values is requested from upstream ahead. Those that wait in branches for demand hold upstream back. The
/// subclasses decide which branch a value belongs in.
@usableFromInline
package class BranchConduit<Label, Value, Failure: Error>: JoiningConduit<Branch<Label, Value, Failure>, Failure> {
    @usableFromInline package typealias Member = Branch<Label, Value, Failure>

    /// How many values are requested ahead, and how many are kept for a branch without a subscriber.
    @usableFromInline package let limit: Int

    /// Whether the values of a branch without a subscriber hold upstream back.
    @usableFromInline package let holdsUnread: Bool

    @usableFromInline package let onDrop: ((Value) -> Void)?

    @usableFromInline package final let upstream = Upstream()

    /// The completion to deliver once all branches are delivered.
    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package final var ending: Subscribers.Completion<Failure>?

    /// The branches that wait for demand.
    @exclusivity(unchecked) @usableFromInline package final var pending = Queue<Member>()

    /// How many branches have a subscriber.
    @exclusivity(unchecked) @usableFromInline package final var readers = 0

    /// Whether no further branch is wanted, while the stream continues for those that have a subscriber.
    @exclusivity(unchecked) @usableFromInline package final var isAbandoned = false

    @inlinable package init(
        name: StaticString, limit: Int, holdsUnread: Bool, onDrop: ((Value) -> Void)?,
        _ downstream: AnySubscriber<Member, Failure>, handle: @escaping (ConduitSubscription, Signal) -> Void
    ) {
        self.limit = limit
        self.holdsUnread = holdsUnread
        self.onDrop = onDrop
        super.init(name: name, downstream, handle: handle)
    }

    /// Whether values have no destination any more.
    @inlinable package final var isShut: Bool { hasEnded || ending != nil }

    /// Whether upstream may still be connected.
    @inlinable package final var isWanted: Bool { !hasEnded && !isAbandoned }

    @inlinable package final func start() {
        if outstanding.current > .none { serve() }
    }

    /// Delivers the pending branches, as far as there is demand.
    @inlinable package final func serve() {
        if hasEnded { return }
        if !upstream.isRequested, let subscription = upstream.subscription {
            upstream.isRequested = true
            request(.max(limit), from: subscription)
        }
        while !pending.isEmpty, outstanding.takeOne(), let branch = pending.popFirst() { emit(branch) }
        finishIfDone()
    }

    @inlinable package final func finishIfDone() {
        if let ending, pending.isEmpty, !outstanding.isClosed { finish(ending) }
    }

    /// Adds a branch, and delivers it if there is demand.
    @inlinable package final func add(_ branch: Member) {
        if pending.isEmpty, outstanding.takeOne() { emit(branch) } else { pending.append(branch) }
    }

    @inlinable package final func emit(_ branch: Member) {
        branch.isPending = false
        if !holdsUnread { request(.max(exchange(&branch.counted, with: 0)), from: upstream.subscription) }
        _ = deliver(branch)
    }

    /// Delivers a value of a branch, or keeps it until there is demand.
    ///
    /// - Returns: The demand to add upstream.
    @inlinable @inline(__always) package final func put(_ value: Value, in branch: Member) -> Subscribers.Demand {
        if branch.queue.isEmpty, branch.downstream.isThere, branch.outstanding.takeOne() {
            branch.deliver(value)
            return .max(1)
        }
        return keep(value, in: branch)
    }

    @inlinable package final func keep(_ value: Value, in branch: Member) -> Subscribers.Demand {
        if branch.outstanding.isClosed {
            onDrop?(value)
            return .max(1)
        }
        if branch.downstream.isThere || branch.isPending || holdsUnread {
            branch.queue.append(value)
            branch.counted += 1
            holdHost(of: branch)
            return .none
        }
        if branch.queue.count < limit { branch.queue.append(value) } else { onDrop?(value) }
        return .max(1)
    }

    /// Attaches the subscriber of a branch.
    @inlinable package final func join(_ branch: Member, _ subscriber: AnySubscriber<Value, Failure>) {
        if branch.outstanding.isClosed { return }
        readers += 1
        branch.downstream = Downstream(subscriber)
        serve(branch)
    }

    /// Delivers the values that wait in a branch, as far as there is demand.
    @inlinable package final func serve(_ branch: Member) {
        if !branch.downstream.isThere { return }
        var room = 0
        while !branch.queue.isEmpty, branch.outstanding.takeOne(), let value = branch.queue.popFirst() {
            if branch.counted > 0 {
                branch.counted -= 1
                room += 1
            }
            branch.deliver(value)
        }
        holdHost(of: branch)
        if !isShut { request(.max(room), from: upstream.subscription) }
        finishIfDone(branch)
    }

    /// Keeps the conduit alive as long as the subscriber of a branch has values to request.
    @inlinable package final func holdHost(of branch: Member) {
        branch.held = branch.downstream.isThere && !branch.queue.isEmpty ? self : nil
    }

    /// Completes a branch, after the values that wait in it.
    @inlinable package final func close(_ branch: Member, _ completion: Subscribers.Completion<Failure>) {
        if branch.ending == nil { branch.ending = completion }
        finishIfDone(branch)
    }

    @inlinable package final func finishIfDone(_ branch: Member) {
        guard let ending = branch.ending, branch.queue.isEmpty, let receiveCompletion = branch.downstream.release()
        else {
            return
        }
        if branch.outstanding.close() != nil { receiveCompletion(ending) }
        loseReader()
    }

    /// Releases a branch whose subscriber has cancelled.
    @inlinable package final func leave(_ branch: Member) {
        let hadReader = branch.downstream.release() != nil
        let room = exchange(&branch.counted, with: 0)
        branch.queue = Queue()
        branch.held = nil
        forget(branch)
        if !isShut { request(.max(room), from: upstream.subscription) }
        if hadReader { loseReader() }
    }

    @inlinable package final func loseReader() {
        readers -= 1
        if isAbandoned, readers == 0 { shut() }
    }

    /// Records that no further branch is wanted.
    ///
    /// Branches with a subscriber continue.
    @inlinable package final func withdraw() {
        if hasEnded { return }
        isAbandoned = true
        _ = downstream.release()
        var room = 0
        while let branch = pending.popFirst() {
            room += branch.counted
            branch.queue = Queue()
            branch.ending = .finished
            forget(branch)
        }
        if readers == 0 { shut() } else { request(.max(room), from: upstream.subscription) }
    }

    /// Stops, because there are no subscribers any more.
    @inlinable package final func shut() {
        if hasEnded { return }
        release()
        for branch in forgetAll() { close(branch, .finished) }
    }

    /// Called when upstream has completed.
    @usableFromInline package func end(_ side: Upstream, _ completion: Subscribers.Completion<Failure>) {
        if isShut || !side.end() { return }
        endAll(completion)
    }

    /// Completes all branches and the stream of branches.
    @inlinable package final func endAll(_ completion: Subscribers.Completion<Failure>) {
        upstream.cancel()
        ending = completion
        for branch in forgetAll() { close(branch, completion) }
        finishIfDone()
    }

    @usableFromInline package override final func releaseUpstreams() {
        upstream.cancel()
        releaseOthers()
    }

    @usableFromInline package final var traitsByUpstreams: SubscriptionTraits {
        upstream.traits.intersection(.startsOnDemand)
    }

    /// Cancels whatever else a subclass has subscribed to.
    @usableFromInline package func releaseOthers() {}

    /// Removes a branch from those that values may be put in.
    @usableFromInline package func forget(_ branch: Member) {}

    /// Removes all branches that values may be put in.
    @usableFromInline package func forgetAll() -> [Member] { [] }
}
