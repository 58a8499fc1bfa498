import HeadgateCore
import HeadgateThread
import Synchronization

/// Divides the values of one upstream among publishers that it delivers, the branches, each with its own subscriber and
/// demand.
///
/// A number of values is requested from upstream ahead. Those that wait in branches for demand hold upstream back.
@usableFromInline
package class BranchingConduit<Label, Value, Failure: Error>: JoiningConduit<Branch<Label, Value, Failure>, Failure> {
    @usableFromInline package final let upstream = Upstream()

    /// How many values are requested ahead, and how many are kept for a branch without a subscriber.
    @usableFromInline final let limit: Int

    /// Whether the values of a branch without a subscriber hold upstream back.
    @usableFromInline final let holdsUnread: Bool

    @usableFromInline final let onDrop: ((Value) -> Void)?

    /// What waits in branches and is dropped, for the stage of a flow downstream of them, if there is one.
    @usableFromInline final let branchCounts = QueueCounts.register()

    @usableFromInline final let link = BranchLink()

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package final var ending: Subscribers.Completion<Failure>?

    /// The branches that wait for demand.
    @exclusivity(unchecked) @usableFromInline final var pending = Queue<Branch<Label, Value, Failure>>()

    /// How many branches have a subscriber.
    @exclusivity(unchecked) @usableFromInline final var readers = 0

    /// How many branches with a subscriber have values that wait.
    @exclusivity(unchecked) @usableFromInline final var unread = 0

    /// Whether no further branch is wanted, while the stream continues for those that have a subscriber.
    @exclusivity(unchecked) @usableFromInline final var isAbandoned = false

    @inlinable init(
        name: StaticString, limit: Int, holdsUnread: Bool, onDrop: ((Value) -> Void)?,
        _ downstream: AnySubscriber<Branch<Label, Value, Failure>, Failure>,
        handle: @escaping (ConduitSubscription, Signal) -> Void
    ) {
        self.limit = limit
        self.holdsUnread = holdsUnread
        self.onDrop = onDrop
        super.init(name: name, downstream, handle: handle)
        link.host = self
    }

    @inlinable package final override var isWithdrawn: Bool { link.hasNoReceiver }

    @inlinable package final override func loseReceiver() -> Bool { link.loseReceiver() }
}

/// What such a conduit does with a branch.
@usableFromInline package protocol Branching: Buffering
where Self: BranchingConduit<Label, Input, Failure>, Output == Branch<Label, Input, Failure> {
    associatedtype Label

    /// Removes a branch from those that values may be put in.
    func forget(_ branch: Branch<Label, Input, Failure>)

    /// Removes all branches that values may be put in.
    func forgetAll() -> [Branch<Label, Input, Failure>]

    /// Whether the values of a branch whose subscriber leaves may go to another branch.
    static var passesOn: Bool { get }

    /// Puts the values that wait in a branch, whose subscriber has left, in another branch.
    ///
    /// - Parameter counted: How many of them hold upstream back.
    /// - Returns: How many hold it back now.
    func passOn(_ values: Queue<Input>, counted: Int, from branch: Branch<Label, Input, Failure>) -> Int

    /// Receives a value for a branch whose subscriber has cancelled, which has not been handled yet.
    ///
    /// - Returns: The demand to add upstream.
    func take(_ value: Input, leftBy branch: Branch<Label, Input, Failure>) -> Subscribers.Demand
}

extension Branching {
    @usableFromInline package typealias Member = Branch<Label, Input, Failure>

    /// Handles what happens to a branch outside the conduit.
    // Captures nothing, and is created where the type of the conduit is known.
    @inlinable static var attending: (ConduitSubscription, Member, Member.Event) -> Void {
        { conduit, branch, event in
            let conduit = unsafeDowncast(conduit, to: Self.self)
            if case .isCancelled = event, conduit.isWithdrawn { conduit.attached.cancel() }
            conduit.attend {
                switch event {
                case .isAttached(let subscriber): conduit.join(branch, subscriber)
                case .hasDemand: conduit.serve(branch)
                case .isCancelled: conduit.leave(branch)
                }
            }
        }
    }

    @inlinable package static var passesOn: Bool { false }

    @inlinable package func passOn(_ values: Queue<Input>, counted: Int, from branch: Member) -> Int {
        drop(values)
        return 0
    }

    @inlinable package func take(_ value: Input, leftBy branch: Member) -> Subscribers.Demand {
        drop(value)
        return .max(1)
    }

    /// Counts and reports a value that no branch receives.
    @inlinable package func drop(_ value: Input) {
        branchCounts?.drop()
        onDrop?(value)
    }

    /// Counts and reports values that no branch receives.
    @inlinable package func drop(_ values: Queue<Input>) {
        branchCounts?.drop(values.count)
        guard let onDrop else { return }
        var values = values
        while let value = values.popFirst() { onDrop(value) }
    }

    /// Whether values have no destination any more.
    @inlinable package var isShut: Bool { hasEnded || ending != nil }

    @inlinable package var takesNothing: Bool { hasEnded || readers == 0 && outstanding.isClosed }

    /// Whether upstream may still be connected.
    @inlinable package var isWanted: Bool { !hasEnded && !isAbandoned }

    @inlinable package func start() {
        if outstanding.current > .none { serve() }
    }

    /// Delivers the pending branches, as far as there is demand.
    @inlinable package func serve() {
        if hasEnded { return }
        if !upstream.isRequested, upstream.subscription != nil {
            upstream.isRequested = true
            request(.max(limit), from: upstream)
        }
        while !pending.isEmpty, outstanding.takeOne(), let branch = pending.popFirst() {
            emit(branch)
        }
        finishIfDone()
    }

    @inlinable package func finishIfDone() {
        guard let ending, pending.isEmpty, !outstanding.isClosed else { return }
        // A branch whose values wait may leave some to another one.
        if Self.passesOn, unread > 0, case .finished = ending { return }
        finish(ending)
    }

    /// Adds a branch, and delivers it if there is demand.
    @inlinable package func add(_ branch: Member) {
        if pending.isEmpty, outstanding.takeOne() { emit(branch) } else { pending.append(branch) }
    }

    /// Delivers a branch, and to a subscriber that attaches itself meanwhile the values that wait.
    @inlinable package func emit(_ branch: Member) {
        branch.isPending = false
        branch.deliveringThread.store(headgate_thread(), ordering: .relaxed)
        _ = deliver(branch)
        branch.deliveringThread.store(0, ordering: .relaxed)
        if branch.downstream.isThere {
            readers += 1
            if !branch.queue.isEmpty { serve(branch) }
        } else if !holdsUnread, branch.counted > 0 {
            // Nobody may ever read it.
            request(.max(exchange(&branch.counted, with: 0)), from: upstream)
        }
    }

    /// Delivers a value of a branch, or keeps it until there is demand.
    ///
    /// - Returns: The demand to add upstream.
    @inlinable @inline(__always) package func put(_ value: Input, in branch: Member) -> Subscribers.Demand {
        if branch.queue.isEmpty, branch.downstream.isThere, branch.outstanding.takeOne() {
            branch.deliver(value)
            return .max(1)
        }
        return keep(value, in: branch)
    }

    @inlinable package func keep(_ value: Input, in branch: Member) -> Subscribers.Demand {
        if branch.outstanding.isClosed { return take(value, leftBy: branch) }
        if branch.downstream.isThere || branch.isPending || holdsUnread {
            hold(value, in: branch)
            branch.counted += 1
            holdHost(of: branch)
            return .none
        }
        if branch.queue.count < limit { hold(value, in: branch) } else { drop(value) }
        return .max(1)
    }

    @inlinable func hold(_ value: Input, in branch: Member) {
        branch.queue.append(value)
        branchCounts?.change(waiting: 1)
    }

    /// Removes the values that wait in a branch.
    @inlinable func takeValues(of branch: Member, leaving rest: Queue<Input> = Queue()) -> Queue<Input> {
        branchCounts?.change(waiting: rest.count - branch.queue.count)
        return exchange(&branch.queue, with: rest)
    }

    /// Attaches the subscriber of a branch.
    @inlinable package func join(_ branch: Member, _ subscriber: AnySubscriber<Input, Failure>) {
        if branch.outstanding.isClosed { return }
        readers += 1
        branch.downstream = Downstream(subscriber)
        serve(branch)
    }

    /// Delivers the values that wait in a branch, as far as there is demand.
    @inlinable package func serve(_ branch: Member) {
        if !branch.downstream.isThere { return }
        var room = 0
        while !branch.queue.isEmpty, branch.outstanding.takeOne(), let value = branch.queue.popFirst() {
            branchCounts?.change(waiting: -1)
            if branch.counted > 0 {
                branch.counted -= 1
                room += 1
            }
            branch.deliver(value)
        }
        holdHost(of: branch)
        if !isShut { request(.max(room), from: upstream) }
        finishIfDone(branch)
        finishIfDone()
    }

    /// Keeps the conduit alive as long as the subscriber of a branch has values to request.
    @inlinable package func holdHost(of branch: Member) {
        let holds = branch.downstream.isThere && !branch.queue.isEmpty
        if holds == (branch.held != nil) { return }
        branch.held = holds ? self : nil
        unread += holds ? 1 : -1
    }

    /// Completes a branch, after the values that wait in it.
    @inlinable package func close(_ branch: Member, _ completion: Subscribers.Completion<Failure>) {
        if branch.ending == nil {
            branch.ending = if case .finished = completion { { .finished } } else { { completion } }
        }
        finishIfDone(branch)
    }

    @inlinable package func finishIfDone(_ branch: Member) {
        guard let ending = branch.ending, branch.queue.isEmpty, let receiveCompletion = branch.downstream.release()
        else {
            return
        }
        if branch.close() { receiveCompletion(ending()) }
        loseReader()
    }

    /// Releases a branch whose subscriber has cancelled.
    @inlinable package func leave(_ branch: Member) {
        let hadReader = branch.downstream.release() != nil
        let counted = exchange(&branch.counted, with: 0)
        let values = takeValues(of: branch)
        forget(branch)
        let kept = values.isEmpty ? 0 : passOn(values, counted: counted, from: branch)
        // After that, so that the stream of branches doesn't finish before.
        holdHost(of: branch)
        if !isShut { request(.max(counted - kept), from: upstream) }
        if hadReader { loseReader() }
        finishIfDone()
    }

    @inlinable package func loseReader() {
        readers -= 1
        if isAbandoned, isDeserted { shut() }
    }

    /// Whether no branch has a subscriber that upstream could reach.
    ///
    /// Those that have come after everybody had cancelled receive what waits, and then the completion.
    @inlinable var isDeserted: Bool { readers == 0 || link.hasNoReceiver }

    /// Records that no further branch is wanted.
    ///
    /// Branches with a subscriber continue.
    @inlinable package func withdraw() {
        if hasEnded { return }
        isAbandoned = true
        _ = downstream.release()
        var room = 0
        while let branch = pending.popFirst() {
            room += branch.counted
            drop(takeValues(of: branch))
            branch.ending = { .finished }
            forget(branch)
        }
        if isDeserted { shut() } else { request(.max(room), from: upstream) }
    }

    /// Stops, because there are no subscribers any more.
    @inlinable package func shut() {
        if hasEnded { return }
        release()
        for branch in forgetAll() { close(branch, .finished) }
    }

    /// Called when upstream has completed.
    @inlinable package func end(_ side: Upstream, _ completion: Subscribers.Completion<Failure>) {
        if isShut || !end(side) { return }
        endAll(completion)
    }

    /// Completes all branches and the stream of branches.
    @inlinable package func endAll(_ completion: Subscribers.Completion<Failure>) {
        cancel(upstream)
        ending = completion
        for branch in forgetAll() { close(branch, completion) }
        finishIfDone()
    }
}
