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
            // If not, another thread is the owner, or this one, which connects when it has left.
            guard drain.enter() || drain.waitToChange() else { return }
            isConnectionDue.store(false, ordering: .relaxed)
            let connection = self.connection
            drain.leave()
            if let connection { connection.run() } else if subscribe == nil { upstreams.open() }
        } while isConnectionDue.load(ordering: .relaxed)
    }

    /// Becomes connected as soon as the drain has been left, unless a subscriber has connected inside the delivery before.
    @inlinable func beginConnection() {
        let new = Connection(hub: self)
        let wanted: Connection? = use.withLock { use in
            if use.subscribers > 0, use.connection == nil { use.connection = new }
            return use.subscribers > 0 ? use.connection : nil
        }
        let connection = wanted ?? new
        self.connection = connection
        requested = connection.requestedAhead
        if wanted != nil { isConnectionDue.store(true, ordering: .relaxed) } else { connection.upstream.cancel() }
    }

    /// What connects to upstream inside a delivery that nobody is left to receive: what a hot upstream sends before the
    /// delivery has returned would be lost.
    @inlinable func connectionInside() -> Connection? {
        guard subscribe != nil, drain.isOwnedByCaller, ending == nil else { return nil }
        let new = Connection(hub: self)
        let isNext = use.withLock { use in
            if use.connection != nil || use.subscribers < quorum { return false }
            use.connection = new
            return true
        }
        if isNext { nextConnection = new }
        return isNext ? new : nil
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
        nextConnection = nil
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
        guard drain.isOwnedByCaller, let connection = nextConnection ?? connection,
            connection.upstream.traits.contains(.answersLater)
        else { return }
        if connection === nextConnection {
            connection.requestAhead(min(member.outstanding.current, lead.map { .max($0) } ?? .unlimited))
        } else if lead == nil {
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
