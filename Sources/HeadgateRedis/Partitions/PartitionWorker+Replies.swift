/// What the server answers to the steps.
extension PartitionWorker {
    /// Takes a reply to a step, or to a part of it; others may be on nodes that take longer.
    func take(_ reply: Outcome, to step: Step) {
        switch reply {
        case .value(let reply): if !take(reply, step) { return fail(unexpected(reply.value)) }
        case .lost: lookAgain(after: step)
        case .failure(let error): if !bear(error, step) { return fail(error) }
        }
        let (isLast, idle) = table.withLock { table in
            for lease in step.leases { lease.isInStep = false }
            return (table.finishPart(), step.leases.filter { $0.isDraining && $0.isIdle })
        }
        for lease in idle { giveUp(lease) }
        if isLast { proceed() } else { handOut() }
    }

    /// - Returns: Whether it is a reply to the step.
    private func take(_ reply: RESPReply, _ step: Step) -> Bool {
        var reader = RESPReader(reply)
        switch step {
        case .read(let leases, let most):
            guard let found = reader.entries(of: leases) else { return false }
            takeEntries(found, leases, most, reply.size)
        case .wait(let leases, _):
            guard let found = reader.signs(of: leases, group.bellKey) else { return false }
            takeSigns(found, leases)
        case .list(let lease, _):
            guard let rows = reply.value.elements else { return false }
            takeList(rows.compactMap { DeliverySource.Pending($0) }, lease)
        case .claim(let lease, let claims): return takeClaims(reply, lease, claims)
        }
        return true
    }

    /// Lives with an error, if it is about one partition only.
    ///
    /// - Returns: Whether it is.
    func bear(_ error: RedisError, _ step: Step) -> Bool {
        switch step {
        case .read(let leases, _), .wait(let leases, _):
            if error.isUnblocked { return true }
            guard error.isLostGroup || error.code == "WRONGTYPE" else { return false }
            // The renewal tells which partition it is that can't be read; asked before, the server would say the same.
            table.withLock { _ in
                for lease in leases { (lease.isRefused, lease.mayHaveMore) = (true, true) }
            }
            renew()
            return true
        case .list(let lease, _), .claim(let lease, _): return bear(error, in: lease)
        }
    }

    /// Gives up a partition that can't be read, and takes it again: its group is made then, if it is lost.
    private func bear(_ error: RedisError, in lease: PartitionLease) -> Bool {
        if error.isLostGroup {
            if group.whenGroupIsLost == .fail {
                fail(error.ofLostGroup)
                return true
            }
            redis.notify(.groupLost(stream: lease.streamKey, group: group.group))
        } else if error.code == "WRONGTYPE" {
            report(error, in: lease.partition)
        } else {
            return false
        }
        giveUp(lease)
        acquire()
        return true
    }

    /// Called when the connection was lost, and the server has ended it: what was claimed is claimed again, with the same
    /// counts, and what may have been read is looked for.
    private func lookAgain(after step: Step) {
        switch step {
        case .wait: break
        case .read(let leases, _):
            table.withLock { _ in for lease in leases { lease.recover() } }
            pause(leases)
        case .list(let lease, _): pause([lease])
        case .claim(let lease, let claims):
            pause([lease])
            table.withLock { _ in
                lease.listed = claims.filter { !$0.holdsItsKey } + lease.listed
                // Those that hold back others need no room.
                lease.failed = claims.filter(\.holdsItsKey) + lease.failed
            }
        }
    }

    /// Takes entries that have been read, and with that delivered.
    private func takeEntries(_ found: [[PartitionEntry]], _ leases: [PartitionLease], _ most: Int, _ size: Int) {
        let reset: [PartitionLease] = table.withLock { table in
            var reset: [PartitionLease] = []
            table.arrived.size += size
            for (lease, entries) in zip(leases, found) {
                table.arrived.count += entries.count
                lease.mayHaveMore = entries.count >= most
                guard let first = entries.first, table.isCurrent(lease) else { continue }
                if first.id <= lease.newest {
                    lease.parked += entries
                    reset.append(lease)
                    continue
                }
                for entry in entries {
                    if let next = lease.admit(entry, group.ordering) { table.enqueue(next, in: lease) }
                }
            }
            return reset
        }
        // The group has gone back to where it was before: the server has lost what it had confirmed, or somebody wants entries
        // to be worked on again. Those that are under way are not known to it any more.
        for lease in reset { giveUp(lease) }
        if !reset.isEmpty { acquire() }
    }

    /// Learns where there are new entries, and whether the bell has rung.
    func takeSigns(_ found: FoundSigns, _ leases: [PartitionLease]) {
        if let ring = found.ring {
            table.withLock { $0.bell = max($0.bell, ring.id) }
            if ring.from != group.worker { answerBell() }
        }
        table.withLock { table in
            for (lease, newest) in zip(leases, found.newest) {
                guard let newest else { continue }
                lease.seen = max(lease.seen, newest)
                lease.mayHaveMore = true
                table.mayHaveWork = true
            }
        }
    }

    /// Takes at once what has been handed over, and looks at the plan soon: not all of those that are rung at once.
    func answerBell() {
        acquire()
        let longest = min(group.lease / 20, .milliseconds(500))
        alarms.answering.set(after: longest * Double.random(in: 0...1)) { [weak self] in self?.beat() }
    }

    func bear(_ words: Bytes, in lease: PartitionLease) {
        let error = redis.error(.server(String(words)), "XINFO")
        if !bear(error, in: lease) { fail(error) }
    }

    private func takeList(_ rows: [DeliverySource.Pending], _ lease: PartitionLease) {
        table.withLock { table in
            if !table.isCurrent(lease) { return }
            for row in rows {
                // What this owner has read and not handed out has not been delivered yet.
                let claim =
                    lease.hasRead
                    ? PartitionClaim(id: row.id, count: row.count)
                    : PartitionClaim(id: row.id, count: row.count + 1, from: lease.former ?? group.worker)
                lease.listed.append(claim)
            }
            let isWhole = rows.count < PartitionTable.listLength
            lease.phase = isWhole ? .reading : .listing(after: rows.last?.id)
        }
    }

    private func takeClaims(
        _ reply: RESPReply, _ lease: PartitionLease, _ claims: [PartitionClaim]
    ) -> Bool {
        var reader = RESPReader(reply)
        guard let count = reader.elements(), count > 0, let kind = reader.value()?.integer else { return false }
        if kind == 1 {
            lose(lease, to: reader.value()?.bytes ?? "")
            acquire()
            return true
        }
        guard count == claims.count + 1 else { return false }
        guard let entries = readClaims(&reader, lease, claims) else { return false }
        table.withLock { table in
            if !table.isCurrent(lease) { return }
            for (claim, entry) in entries {
                if let entry {
                    let next = lease.admit(entry, group.ordering, isFirstOfKey: claim.holdsItsKey)
                    if let next { table.enqueue(next, in: lease) }
                } else if claim.holdsItsKey, let next = lease.finish(claim.key) {
                    table.enqueue(next, in: lease)
                }
            }
            table.turn.learn(entries.count, reply.size)
        }
        wakeForRetrials()
        return true
    }

    /// Reads what has become of each, with its fields if it is delivered again.
    private func readClaims(
        _ reader: inout RESPReader, _ lease: PartitionLease, _ claims: [PartitionClaim]
    ) -> [(PartitionClaim, PartitionEntry?)]? {
        let key = lease.streamKey
        var entries: [(PartitionClaim, PartitionEntry?)] = []
        for claim in claims {
            guard let parts = reader.elements(), parts >= 2, reader.id() == claim.id,
                let kind = reader.value()?.integer
            else { return nil }
            var entry: PartitionEntry?
            switch kind {
            case 0, 3:
                guard let fields = reader.fields() else { return nil }
                entry = PartitionEntry(
                    claim.id, fields, in: lease, count: claim.count, takenFrom: claim.from, isStuck: kind == 3)
                if kind == 3 {
                    redis.notify(.notMoved(stream: key, id: claim.id, reader.string().map { String($0) } ?? ""))
                }
            case 1: redis.notify(.entryGone(stream: key, id: claim.id))
            case 2: notify(.movedAway(partition: lease.partition, id: claim.id))
            default: break
            }
            entries.append((claim, entry))
        }
        return entries
    }
}
