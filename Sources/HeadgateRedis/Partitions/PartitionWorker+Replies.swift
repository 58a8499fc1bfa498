import HeadgateCore
import HeadgateEngine

/// What the server answers to the steps.
extension PartitionWorker {
    func take(_ reply: Outcome<RESPReply>, to step: Step) {
        switch reply {
        case .value(let reply):
            if !take(reply, step) { return fail(unexpected(reply.value)) }
        case .lost: lookAgain(after: step)
        case .failure(let error):
            if !bear(error, step) { return fail(error) }
        }
        let idle = table.withLock { table in
            table.turn.finish()
            table.isWaiting = false
            for lease in step.leases { lease.isInStep = false }
            return step.leases.filter { $0.isDraining && $0.isIdle }
        }
        for lease in idle { giveUp(lease) }
        proceed()
    }

    /// Takes a reply.
    ///
    /// - Returns: Whether it is one to this step.
    private func take(_ reply: RESPReply, _ step: Step) -> Bool {
        switch step {
        case .wait(let time): takeWakeUp(reply.value, time)
        case .list(let lease, _):
            guard let rows = reply.value.elements else { return false }
            takeList(rows.compactMap { DeliverySource.Pending($0) }, lease)
        case .claim(let lease, let claims, let time): return takeClaims(reply, lease, claims, time)
        case .read(let turns, let total, let time): return takeEntries(reply, turns, total, time)
        }
        return true
    }

    /// Lives with an error, if it is about one partition only.
    ///
    /// - Returns: Whether it is.
    private func bear(_ error: RedisError, _ step: Step) -> Bool {
        switch step {
        case .wait:
            // Reading tells which partition it is that can't be waited for.
            table.withLock { $0.rescan() }
            return error.isUnblocked || error.code == "WRONGTYPE"
        case .list(let lease, _), .claim(let lease, _, _):
            return bear(error, in: lease)
        case .read: return false
        }
    }

    /// Gives up a partition that can't be read, and takes it again: its group is made then, if it is lost.
    private func bear(_ error: RedisError, in lease: PartitionLease) -> Bool {
        if error.isLostGroup {
            if group.whenGroupIsLost == .fail, case .server(let words) = error.reason {
                fail(RedisError(.groupLost(words), command: error.command, address: error.address))
                return true
            }
            redis.notify(.groupLost(stream: group.partitions.key(lease.partition), group: group.group))
        } else if error.code == "WRONGTYPE" {
            report(error, in: lease.partition)
        } else {
            return false
        }
        giveUp(lease)
        acquire()
        return true
    }

    /// Called when the connection was lost: what the server has sent into it is pending.
    private func lookAgain(after step: Step) {
        table.withLock { table in
            table.hasLostConnection = true
            switch step {
            case .wait, .list: break
            case .claim(let lease, let claims, _):
                lease.listed = claims.filter { !$0.holdsItsKey } + lease.listed
                // Those that hold back others need no room.
                lease.failed = claims.filter(\.holdsItsKey) + lease.failed
            case .read(let turns, _, _): for turn in turns { turn.lease.lookForTheLost() }
            }
        }
    }

    private func takeWakeUp(_ value: RedisValue, _ time: Duration) {
        // Keys and their entries by turns, or in pairs.
        var parts = value.elements ?? []
        if case .array = value { parts = parts.flatMap { $0.elements ?? [] } }
        let isRung = table.withLock { table in
            var isRung = false
            if parts.isEmpty, time >= PartitionTable.longestWait { table.rescan() }
            for place in stride(from: 0, to: parts.count - 1, by: 2) {
                if parts[place].bytes == group.bellKey {
                    isRung = table.hear(parts[place + 1], group.worker)
                } else if let partition = parts[place].bytes.flatMap({ group.partition(at: $0) }) {
                    table.leases[partition]?.mayHaveMore = true
                }
            }
            return isRung
        }
        // Not all of those that are rung at once.
        if isRung {
            let alarm = Pipeline.alarm.after(group.lease / 20 * Double.random(in: 0...1)) { [weak self] in self?.beat()
            }
            let old = table.withLock { exchange(&$0.answering, with: alarm) }
            withExtendedLifetime(old) {}
        }
    }

    private func takeList(_ rows: [DeliverySource.Pending], _ lease: PartitionLease) {
        table.withLock { table in
            if !table.isCurrent(lease) { return }
            for row in rows {
                // What was lost on its way has not been delivered.
                let count = lease.wasLost ? max(1, row.count) : row.count + 1
                let from = lease.wasLost ? nil : lease.former ?? group.worker
                lease.listed.append(PartitionClaim(id: row.id, count: count, from: from))
            }
            if rows.count < PartitionTable.listLength {
                lease.phase = .reading
                lease.wasLost = false
            } else {
                lease.phase = .listing(after: rows.last?.id)
            }
        }
    }

    private func takeEntries(_ reply: RESPReply, _ turns: [Turn], _ total: Int, _ time: Instant) -> Bool {
        var reader = RESPReader(reply)
        guard let count = reader.elements(), count > 0, let visited = reader.value()?.integer else { return false }
        var found: [Int: [PartitionEntry]] = [:]
        var problems: [(lease: PartitionLease, isLost: Bool, words: Bytes)] = []
        for _ in 1..<count {
            guard reader.elements() == 3, let place = reader.value()?.integer.map({ Int($0) }), place < turns.count,
                let kind = reader.value()?.integer
            else { return false }
            if kind == 0 {
                guard let entries = reader.partitionEntries() else { return false }
                found[place] = entries
            } else {
                problems.append((turns[place].lease, kind == 1, reader.value()?.bytes ?? ""))
            }
        }
        table.withLock { table in
            var left = total
            var entries = 0
            for (place, turn) in turns.prefix(Int(visited)).enumerated() {
                let some = found[place] ?? []
                if some.count < min(left, turn.most) { turn.lease.mayHaveMore = false }
                left -= some.count
                entries += some.count
                guard table.isCurrent(turn.lease) else { continue }
                for entry in some {
                    if let entry = turn.lease.admit(entry, group.ordering) { table.enqueue(entry, in: turn.lease) }
                }
            }
            table.turn.learn(entries, reply.size)
        }
        for problem in problems {
            if problem.isLost { lose(problem.lease, to: problem.words) } else { bear(problem.words, in: problem.lease) }
        }
        if !problems.isEmpty { acquire() }
        return true
    }

    private func bear(_ words: Bytes, in lease: PartitionLease) {
        let error = RedisError(.server(String(words)), command: "XREADGROUP", address: redis.description)
        if !bear(error, in: lease) { fail(error) }
    }

    private func takeClaims(
        _ reply: RESPReply, _ lease: PartitionLease, _ claims: [PartitionClaim], _ time: Instant
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
        let key = group.partitions.key(lease.partition)
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

extension PartitionTable {
    /// Has everything read, whatever is known of it.
    mutating func rescan() {
        for lease in owned {
            lease.mayHaveMore = true
            // One that was lost may have read what nobody has received.
            if hasLostConnection { lease.lookForTheLost() }
        }
        hasLostConnection = false
    }

    /// Hears the bell.
    ///
    /// - Returns: Whether another worker has rung it.
    mutating func hear(_ entries: RedisValue, _ worker: Bytes) -> Bool {
        guard let entry = entries.elements?.last?.elements, entry.count == 2 else { return false }
        if let id = entry[0].bytes.flatMap({ EntryID($0) }) { bell = id }
        return entry[1].elements?.last?.bytes != worker
    }
}

extension PartitionLease {
    /// Lists what is pending beyond what has been received.
    func lookForTheLost() {
        guard case .reading = phase, listed.isEmpty else { return }
        phase = .listing(after: newest == EntryID(0, 0) ? nil : newest)
        wasLost = true
    }
}

extension PartitionEntry {
    init(_ claim: PartitionClaim, _ fields: EntryFields, isStuck: Bool) {
        self.init(
            id: claim.id, fields: fields, key: fields[RedisPartitions.keyField] ?? Bytes(), count: claim.count,
            takenFrom: claim.from, isStuck: isStuck)
    }
}

extension RESPReader {
    /// Reads new entries.
    fileprivate mutating func partitionEntries() -> [PartitionEntry]? {
        guard let count = elements() else { return nil }
        var entries: [PartitionEntry] = []
        entries.reserveCapacity(count)
        for _ in 0..<count {
            guard let (id, fields) = entry() else { return nil }
            let known = fields ?? EntryFields(strings: [])
            entries.append(
                PartitionEntry(
                    id: id, fields: known, key: known[RedisPartitions.keyField] ?? Bytes(), count: 1, takenFrom: nil))
        }
        return entries
    }
}
