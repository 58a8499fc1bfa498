import HeadgateCore
import HeadgateEngine
import Synchronization

// How the hub connects to its upstream, and how the connection ends with its last subscriber.
extension ReplayHub {
    /// Connects to upstream and makes the pending request, or opens the upstreams of a subject: after leaving the drain,
    /// so that an upstream that delivers immediately finds it idle.
    @inlinable @inline(__always) package func connect() {
        if isConnectionDue.load(ordering: .relaxed) { connectInTurn() }
    }

    // Whoever leaves the drain looks once more, because work that others have enqueued may have come in between.
    @inlinable @inline(never) func connectInTurn() {
        repeat {
            guard enterToConnect() else { return }
            isConnectionDue.store(false, ordering: .relaxed)
            let connection = self.connection
            drain.leave()
            if let connection { connection.run() } else if subscribe == nil { upstreams.open() }
        } while isConnectionDue.load(ordering: .relaxed)
    }

    /// Becomes the drain's owner, unless another thread is, or this one: an owner connects when it has left.
    // A caller that has waited in vain may itself have done the work of others meanwhile, and so tries again.
    @inlinable func enterToConnect() -> Bool {
        drain.enter() || drain.waitForTurn() || !drain.isOwnedByCaller && drain.enterIfIdle()
    }

    /// Becomes connected as soon as the drain has been left.
    @inlinable func beginConnection() {
        let connection = Connection(hub: self)
        self.connection = connection
        let isWanted = use.withLock { use in
            if use.subscribers > 0 { use.connection = connection }
            return use.subscribers > 0
        }
        if isWanted { isConnectionDue.store(true, ordering: .relaxed) } else { connection.upstream.cancel() }
    }

    /// Cancels the connection if the caller is the last subscriber, at once, whoever owns the drain.
    ///
    /// A subscriber that arrives later starts anew.
    @inlinable func withdraw() {
        if subscribe == nil { return }
        let unwanted = use.withLock { use in
            use.subscribers -= 1
            return use.subscribers == 0 ? use.connection.take() : nil
        }
        unwanted?.upstream.cancel()
    }

    /// Forgets a connection that has been cancelled, and what it has sent; all subscribers that have joined it have left.
    @inlinable func startAnewIfCancelled() {
        guard let connection, use.withLock({ $0.connection !== connection }) else { return }
        while let member = members.first { remove(member) }
        self.connection = nil
        log = ReplayLog(capacity: log.capacity)
        age?.clear()
        requested = .none
        foremost = (.none, 0)
    }

    /// Makes what a subscriber has requested inside a delivery due at once, if upstream sends on its own: it would lose
    /// what it sends meanwhile.
    @inlinable func requestInside(for member: Member) {
        guard drain.isOwnedByCaller, let connection, connection.upstream.traits.contains(.answersLater) else { return }
        if lead == nil {
            requestMissing(for: member)
        } else {
            noteGoal(of: member)
            keepStep()
        }
        connection.forwardDemand()
    }

    /// Requests what a subscriber lacks.
    @inlinable func requestMissing(for member: Member) {
        let goal = Subscribers.Demand.max(member.position) + member.outstanding.current
        if goal > requested { request(goal - exchange(&requested, with: goal)) }
    }
}
