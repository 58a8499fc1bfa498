import HeadgateCore
import HeadgateEngine

/// Keeping what is owned, and handing it over.
extension PartitionWorker {
    /// Renews all leases, unless the replies to earlier renewals are still due: they are sent until they arrive.
    func renew() {
        let leases: [PartitionLease] = table.withLock { table in
            if table.renewals > 0 { return [] }
            table.isLate = false
            let leases = table.owned
            table.renewals = (leases.count + PartitionTable.mostAtATime - 1) / PartitionTable.mostAtATime
            return leases
        }
        let time = Instant.now
        for start in stride(from: 0, to: leases.count, by: PartitionTable.mostAtATime) {
            let some = Array(leases[start..<min(leases.count, start + PartitionTable.mostAtATime)])
            redis.send(PartitionScript.renew(group, some), .repeated) { [self] in takeRenewal($0, some, time) }
        }
    }

    private func takeRenewal(_ reply: Reply, _ leases: [PartitionLease], _ time: Instant) {
        var lost: [Int: RedisValue] = [:]
        switch reply {
        case .failure(let error), .lost(let error): redis.notify(.renewalFailed(error))
        case .value(let value):
            let parts = value.elements ?? []
            for place in stride(from: 0, to: parts.count - 1, by: 2) {
                lost[Int(parts[place].integer ?? -1)] = parts[place + 1]
            }
            let isLate = Instant.now - time > group.lease / 3
            table.withLock { table in
                if isLate { table.isLate = true }
                for (place, lease) in leases.enumerated() where lost[place] == nil && table.isCurrent(lease) {
                    lease.end = max(lease.end, time + group.lease)
                    table.unpark(lease)
                }
            }
            for (place, content) in lost where leases.indices.contains(place) {
                if case .error(let words) = content {
                    bear(words, in: leases[place])
                } else {
                    lose(leases[place], to: content.bytes ?? "")
                }
            }
        }
        let isDue = table.withLock { table in
            table.renewals -= 1
            return table.renewals == 0 && table.isLate
        }
        if isDue { renew() }
        if !lost.isEmpty { acquire() }
        proceed()
    }

    /// Learns that a lease is another's or nobody's.
    func lose(_ lease: PartitionLease, to content: Bytes) {
        let isLost = table.withLock { table in
            if !table.isCurrent(lease) { return false }
            _ = table.remove(lease)
            return true
        }
        if !isLost { return }
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
        let alarm = Pipeline.alarm.after(group.handingOverWithin) { [weak self] in self?.giveUpLate() }
        let isOver = table.withLock { table in
            if !table.isCurrent(lease) { return true }
            lease.deadline = alarm
            return false
        }
        if isOver { alarm.cancel() }
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
        let unused: [(id: EntryID, count: Int)]? = table.withLock { table in
            table.isCurrent(lease) ? table.remove(lease) : nil
        }
        guard let unused else { return }
        send(releaseOf: lease, unused)
        finishLeaving()
    }

    func send(releaseOf lease: PartitionLease, _ unused: [(id: EntryID, count: Int)]) {
        let abandoned = lease.underWay.count
        redis.send(PartitionScript.release(group, lease, unused), .repeated) { [self] reply in
            guard case .value(let value) = reply, value.integer == 1 else { return }
            reportHandOver(of: lease, abandoned)
        }
    }

    func reportHandOver(of lease: PartitionLease, _ abandoned: Int) {
        let next = table.withLock { $0.owners[lease.partition] }
        notify(.handedOver(partition: lease.partition, to: next == group.worker ? nil : next, underWay: abandoned))
    }

    // MARK: - Leaving

    /// Leaves the group: others are to own what this worker has as soon as nothing of it is under way.
    func end() {
        let (hasBegun, leases) = table.withLock { table in
            table.turn.end()
            switch table.life {
            case .new:
                table.life = .over
                return (false, [] as [PartitionLease])
            case .working:
                table.life = .leaving
                // The connection that would answer is closed.
                for lease in table.owned { lease.isInStep = false }
                return (true, table.owned)
            case .leaving, .over: return (false, [])
            }
        }
        if !hasBegun { return }
        redis.send(PartitionScript.beat(group, .leaves, knowing: ""), .repeated) { _ in }
        for lease in leases { drain(lease) }
        finishLeaving()
    }

    func finishLeaving() {
        let alarms: [AnyCancellable?]? = table.withLock { table in
            guard case .leaving = table.life, table.owned.isEmpty else { return nil }
            table.life = .over
            return [
                table.tick.take(), table.retrial.take(), table.acquisition.take(), table.waitingForRival.take(),
            ]
        }
        guard let alarms else { return }
        for alarm in alarms { alarm?.cancel() }
        redis.releasePipeline()
    }
}

extension PartitionTable {
    /// Keeps back what could be handed out.
    mutating func park(_ lease: PartitionLease) {
        var others = Queue<(lease: PartitionLease, entry: PartitionEntry)>()
        while let next = ready.popFirst() {
            if next.lease === lease { lease.parked.append(next.entry) } else { others.append(next) }
        }
        ready = others
    }

    /// Hands out what has waited for the ownership to be confirmed.
    mutating func unpark(_ lease: PartitionLease) {
        if lease.isDraining || lease.parked.isEmpty { return }
        for entry in exchange(&lease.parked, with: []) { ready.append((lease, entry)) }
    }
}
