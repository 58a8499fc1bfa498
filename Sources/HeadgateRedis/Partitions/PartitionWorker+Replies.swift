import HeadgateCore
import HeadgateEngine

/// What the server answers to the steps.
extension PartitionWorker {
    func take(_ reply: Outcome<RESPReply>, to step: Step) {
        switch reply {
        case .value(let reply):
            switch take(reply, step) {
            case .nothing: return fail(unexpected(reply.value))
            case .next(let step): return perform(step)
            case .done: break
            }
        case .lost:
            // Executed twice, it does nothing the second time.
            if case .deliver = step { return perform(step) }
            lookAgain(after: step)
        case .failure(let error):
            if !bear(error, step) { return fail(error) }
        }
        finish(step)
    }

    /// Ends a step, and begins the next one.
    func finish(_ step: Step) {
        let idle = table.withLock { table in
            table.turn.finish()
            table.isWaiting = false
            for lease in step.leases { lease.isInStep = false }
            return step.leases.filter { $0.isDraining && $0.isIdle }
        }
        for lease in idle { giveUp(lease) }
        proceed()
    }

    /// What a reply is to its step.
    enum Answer {
        /// Not one to it.
        case nothing
        case done
        case next(Step)
    }

    private func take(_ reply: RESPReply, _ step: Step) -> Answer {
        switch step {
        case .read(let leases, let most, let wait):
            var reader = RESPReader(reply)
            guard let found = reader.partitions(group) else { return .nothing }
            return takeEntries(found, reply.size, leases, most, wait)
        case .deliver(let batches): return takeDelivered(reply.value, batches) ? .done : .nothing
        case .list(let lease, _):
            guard let rows = reply.value.elements else { return .nothing }
            takeList(rows.compactMap { DeliverySource.Pending($0) }, lease)
            return .done
        case .claim(let lease, let claims): return takeClaims(reply, lease, claims) ? .done : .nothing
        }
    }

    /// Lives with an error, if it is about one partition only.
    ///
    /// - Returns: Whether it is.
    func bear(_ error: RedisError, _ step: Step) -> Bool {
        switch step {
        case .read:
            if error.isUnblocked { return true }
            // The renewal tells which partition it is that can't be read.
            renew()
            return error.code == "WRONGTYPE"
        case .list(let lease, _), .claim(let lease, _): return bear(error, in: lease)
        case .deliver: return false
        }
    }

    /// Gives up a partition that can't be read, and takes it again: its group is made then, if it is lost.
    private func bear(_ error: RedisError, in lease: PartitionLease) -> Bool {
        if error.isLostGroup {
            if group.whenGroupIsLost == .fail, case .server(let words) = error.reason {
                fail(RedisError(.groupLost(words), command: error.command, address: error.address))
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

    /// Called when the connection was lost: what was claimed is claimed again, with the same counts.
    private func lookAgain(after step: Step) {
        if case .list(let lease, _) = step { pause([lease]) }
        guard case .claim(let lease, let claims) = step else { return }
        pause([lease])
        table.withLock { _ in
            lease.listed = claims.filter { !$0.holdsItsKey } + lease.listed
            // Those that hold back others need no room.
            lease.failed = claims.filter(\.holdsItsKey) + lease.failed
        }
    }

    /// Takes entries that have been read, to have them delivered as far as they are wanted.
    func takeEntries(
        _ found: FoundEntries, _ size: Int, _ leases: [PartitionLease], _ most: Int, _ wait: Duration?
    ) -> Answer {
        if let ring = found.ring {
            table.withLock { $0.bell = max($0.bell, ring.id) }
            if ring.from != group.worker { beatSoon() }
        }
        let demand = emitter.demand
        let batches: [Batch] = table.withLock { table in
            table.isWaiting = false
            // Nobody would answer any more.
            guard case .working = table.life else { return [] }
            var wanted = max(0, demand.max.map { $0 - table.ready.count } ?? .max)
            var batches: [Batch] = []
            var count = 0
            for lease in leases {
                let entries = found.entries[lease.partition] ?? []
                count += entries.count
                lease.mayHaveMore = wait == nil ? entries.count >= most : lease.mayHaveMore || !entries.isEmpty
                if lease.hasChanged { lease.mayHaveMore = true }
                if entries.isEmpty || !table.isCurrent(lease) || lease.isDraining { continue }
                let some = entries.prefix(min(wanted, lease.room))
                if some.count < entries.count { lease.mayHaveMore = true }
                if some.isEmpty { continue }
                wanted -= some.count
                lease.isInStep = true
                batches.append(Batch(lease: lease, entries: Array(some)))
            }
            table.turn.learn(count, size)
            return batches
        }
        return batches.isEmpty ? .done : .next(.deliver(batches))
    }

    /// Looks at the plan soon: not all of those that are rung at once.
    func beatSoon() {
        let alarm = Pipeline.alarm.after(group.lease / 20 * Double.random(in: 0...1)) { [weak self] in self?.beat() }
        let old = table.withLock { exchange(&$0.answering, with: alarm) }
        withExtendedLifetime(old) {}
    }

    /// Takes the answers to a delivery.
    ///
    /// - Returns: Whether they are.
    func takeDelivered(_ value: RedisValue, _ batches: [Batch]) -> Bool {
        guard let answers = value.elements, answers.count == batches.count else { return false }
        var problems: [(lease: PartitionLease, isLost: Bool, words: Bytes)] = []
        for (batch, answer) in zip(batches, answers) {
            guard let parts = answer.elements, let kind = parts.first?.integer else { return false }
            if kind != 0 {
                problems.append((batch.lease, kind == 1, parts.count > 1 ? parts[1].bytes ?? "" : ""))
                continue
            }
            // Nearly always all of them.
            let there = parts.count > 1 ? parts[1].elements.map { Set($0.compactMap(\.bytes)) } : nil
            var gone: [EntryID] = []
            table.withLock { table in
                guard table.isCurrent(batch.lease) else { return }
                for entry in batch.entries {
                    if let there, !there.contains(entry.id.bytes) {
                        gone.append(entry.id)
                        batch.lease.newest = max(batch.lease.newest, entry.id)
                    } else if let entry = batch.lease.admit(entry, group.ordering) {
                        table.enqueue(entry, in: batch.lease)
                    }
                }
            }
            for id in gone { redis.notify(.entryGone(stream: batch.lease.streamKey, id: id)) }
        }
        for problem in problems {
            if problem.isLost { lose(problem.lease, to: problem.words) } else { bear(problem.words, in: problem.lease) }
        }
        if !problems.isEmpty { acquire() }
        return true
    }

    func bear(_ words: Bytes, in lease: PartitionLease) {
        let error = RedisError(.server(String(words)), command: "XINFO", address: redis.description)
        if !bear(error, in: lease) { fail(error) }
    }

    private func takeList(_ rows: [DeliverySource.Pending], _ lease: PartitionLease) {
        table.withLock { table in
            if !table.isCurrent(lease) { return }
            for row in rows {
                lease.listed.append(
                    PartitionClaim(id: row.id, count: row.count + 1, from: lease.former ?? group.worker))
            }
            if rows.count < PartitionTable.listLength {
                lease.phase = .reading
            } else {
                lease.phase = .listing(after: rows.last?.id)
            }
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
                entry = PartitionEntry(claim, fields, isStuck: kind == 3)
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

extension PartitionEntry {
    init(_ claim: PartitionClaim, _ fields: EntryFields, isStuck: Bool) {
        self.init(
            id: claim.id, fields: fields, key: fields[RedisPartitions.keyField] ?? Bytes(), count: claim.count,
            takenFrom: claim.from, isStuck: isStuck)
    }
}
