import HeadgateEngine

/// Keeping what is owned, and handing it over.
extension PartitionWorker {
    /// Renews all leases, but for those to whose renewal the reply is still due: it is sent until that arrives.
    func renew() {
        let (leases, isRefused) = table.withLock { table in
            let leases = table.owned.filter { !$0.isRenewing }
            for lease in leases { lease.isRenewing = true }
            return (leases, leases.contains { $0.isRefused })
        }
        let time = Instant.now
        for some in leases.parts(of: mostInAScript) {
            let script = PartitionScript.renew(group, some, isRefused: isRefused)
            redis.send(script, .repeated) { [self] in takeRenewal($0, some, time) }
        }
    }

    private func takeRenewal(_ reply: Reply, _ leases: [PartitionLease], _ time: Instant) {
        var lost: [Int: RedisValue] = [:]
        var isLate = false
        table.withLock { _ in for lease in leases { lease.isRenewing = false } }
        switch reply {
        case .failure(let error): redis.notify(.renewalFailed(error))
        case .success(let value):
            let parts = value.elements ?? []
            for place in stride(from: 0, to: parts.count - 1, by: 2) {
                lost[Int(parts[place].integer ?? -1)] = parts[place + 1]
            }
            isLate = Instant.now - time > group.lease / 3
            table.withLock { table in
                for (place, lease) in leases.enumerated() where table.isCurrent(lease) {
                    let isReadable = lost[place] == nil
                    if !isReadable && lost[place]?.elements == nil { continue }
                    lease.end = max(lease.end, time + group.lease)
                    if lease.isRefused && isReadable { table.mayHaveWork = true }
                    lease.isRefused = !isReadable
                    table.unpark(lease)
                }
            }
            for (place, content) in lost where leases.indices.contains(place) {
                if case .error(let words) = content {
                    bear(words, in: leases[place])
                } else if let words = content.elements?.first?.text {
                    // Its fence is missing, and is made with the next renewal.
                    redis.notify(.renewalFailed(redis.error(.server(words), "XGROUP")))
                } else {
                    lose(leases[place], to: content.bytes ?? "")
                }
            }
        }
        // It took so long that the next one is due.
        if isLate { renew() }
        if !lost.isEmpty { acquire() }
        proceed()
    }

    /// Learns that a lease is another's or nobody's.
    func lose(_ lease: PartitionLease, to content: Bytes) {
        if table.withLock({ $0.remove(lease) }) == nil { return }
        let owner = PartitionGroup.worker(in: content)
        notify(.lost(partition: lease.partition, owner.map { .takenOver(by: $0) } ?? .expired))
        finishLeaving()
    }

    /// Drops what the server has not confirmed in time: it may be another's by now.
    func expire() {
        let expired = table.withLock { table in
            let now = Instant.now
            let expired = table.owned.filter { $0.end <= now }
            for lease in expired { _ = table.remove(lease) }
            return expired
        }
        for lease in expired { notify(.lost(partition: lease.partition, .notConfirmed)) }
    }

    // MARK: - Handing over

    /// Stops reading a partition, and gives it up as soon as nothing of it is under way.
    func drain(_ lease: PartitionLease) {
        let isIdle = table.withLock { table in
            guard table.isCurrent(lease), !lease.isDraining else { return false }
            lease.drainsUntil = .now + group.handingOverWithin
            table.park(lease)
            return lease.isIdle
        }
        if isIdle { return giveUp(lease) }
        lease.deadline.set(after: group.handingOverWithin) { [weak self] in self?.giveUpLate() }
    }

    /// Gives up what has been under way for too long.
    func giveUpLate() {
        let late = table.withLock { table in
            table.owned.filter { lease in lease.drainsUntil.map { $0 <= .now } ?? false }
        }
        for lease in late { giveUp(lease) }
    }

    /// Passes a partition on.
    func giveUp(_ lease: PartitionLease) {
        guard let unused = table.withLock({ $0.remove(lease) }) else { return }
        send(releaseOf: lease, unused)
        finishLeaving()
    }

    func send(releaseOf lease: PartitionLease, _ unused: PartitionLease.Unused) {
        redis.send(PartitionScript.release(group, lease, unused), .repeated) { [self] reply in
            guard case .success(let value) = reply, value.integer == 1 else { return }
            reportHandOver(of: lease, unused.underWay)
        }
    }

    func reportHandOver(of lease: PartitionLease, _ abandoned: Int) {
        let owner = table.withLock { $0.owners[lease.partition] }
        let next = owner == group.worker ? nil : owner
        notify(.handedOver(partition: lease.partition, to: next, underWay: abandoned))
        if let next { ring(for: next) }
    }

    /// Tells the next owner that a partition is free, so that it need not find out by asking again and again.
    private func ring(for worker: Bytes) {
        // Once for all that is handed over until the reply, and once more after it.
        if !table.withLock({ $0.called.begin(worker) }) { return }
        redis.send(PartitionScript.ring(group, for: worker), .repeated) { [self] _ in
            if table.withLock({ $0.called.finish(worker) }) { ring(for: worker) }
        }
    }

    // MARK: - Leaving

    /// Leaves the group: others are to own what this worker has as soon as nothing of it is under way.
    func end() {
        nodes?.close()
        let leases: [PartitionLease]? = table.withLock { table in
            table.turn.end()
            if table.life == .new { table.life = .over }
            if table.life != .working { return nil }
            table.life = .leaving
            // The connection that would answer is closed.
            for lease in table.owned {
                lease.mayHaveUnknown = lease.mayHaveUnknown || lease.isInStep
                lease.isInStep = false
            }
            return table.owned
        }
        guard let leases else { return }
        redis.send(PartitionScript.beat(group, knowing: "", leaves: true), .repeated) { [self] reply in
            guard case .success(let value) = reply, let plan = value.elements, plan.count == 3 else { return }
            // To know whom to tell.
            _ = table.withLock { $0.follow(plan[0].bytes ?? "", plan[1], plan[2], group) }
        }
        for lease in leases { drain(lease) }
        finishLeaving()
    }

    func finishLeaving() {
        let isOver = table.withLock { table in
            if table.life != .leaving || !table.owned.isEmpty { return false }
            table.life = .over
            return true
        }
        if !isOver { return }
        alarms.cancel()
        redis.releasePipeline()
    }
}

extension PartitionTable {
    /// Keeps back what could be handed out.
    mutating func park(_ lease: PartitionLease) {
        var others = Queue<PartitionEntry>()
        while let next = ready.popFirst() {
            if next.lease === lease { lease.parked.append(next) } else { others.append(next) }
        }
        ready = others
    }

    /// Hands out what has waited for the ownership to be confirmed.
    mutating func unpark(_ lease: PartitionLease) {
        if lease.isDraining || lease.parked.isEmpty { return }
        for entry in exchange(&lease.parked, with: []) { ready.append(entry) }
    }
}
