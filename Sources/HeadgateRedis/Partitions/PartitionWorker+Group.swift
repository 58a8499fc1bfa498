/// Being one of the group, and owning what the plan says.
extension PartitionWorker {
    /// Says at intervals that this worker lives, and renews what it owns, until it is over.
    ///
    /// The intervals differ, so that workers that were started together do not ask together.
    func keepTicking() {
        alarms.tick.set(after: group.lease / 3 * Double.random(in: 0.8...1)) { [self] in tick() }
        if table.withLock({ $0.life == .over }) { alarms.tick.cancel() }
    }

    private func tick() {
        lookAtAll()
        expire()
        giveUpLate()
        beat()
        renew()
        acquire()
        finishLeaving()
        keepTicking()
    }

    func beat() {
        let version: Bytes? = table.withLock { table in
            if table.life != .working || table.isBeating { return nil }
            table.isBeating = true
            return table.version
        }
        guard let version else { return }
        redis.send(PartitionScript.beat(group, knowing: version), .repeated) { [self] in takeBeat($0) }
    }

    private func takeBeat(_ reply: Reply) {
        switch reply {
        case .failure(let error): return fail(error)
        case .success(let value):
            guard let parts = value.elements, let word = parts.first?.bytes else { return fail(unexpected(value)) }
            switch word {
            case "count" where parts.count == 2: return fail(group.partitions.mismatch(parts[1]))
            case "used" where parts.count == 3: return meet(parts[2].bytes ?? "", .milliseconds(parts[1].integer ?? 0))
            default: break
            }
            let late = table.withLock { table in
                table.isBeating = false
                table.rival = nil
                return parts.count == 3 ? table.follow(word, parts[1], parts[2], group) : []
            }
            for lease in late { drain(lease) }
        }
        acquire()
        proceed()
    }

    /// Learns that the name is in use: by a process that has died, until its key expires, or by one that lives.
    private func meet(_ rival: Bytes, _ time: Duration) {
        let former = table.withLock { exchange(&$0.rival, with: rival) }
        if former == rival { return fail(redis.error(.workerInUse(group.worker.excerpt()), "EVAL")) }
        alarms.rival.set(after: max(.zero, time) + .milliseconds(20)) { [weak self] in
            guard let self else { return }
            table.withLock { $0.isBeating = false }
            beat()
        }
    }

    func unexpected(_ value: RedisValue) -> RedisError { unexpected("\(value)", "EVAL") }

    // MARK: - Acquiring

    /// Takes the leases of the partitions that are to be this worker's, as far as nobody has them.
    func acquire() {
        acquire(table.withLock { $0.beginAcquiring() })
    }

    private func acquire(_ wanted: [Int]) {
        // On a cluster, a node that is gone holds up no others.
        for some in wanted.parts(of: max(1, mostInAScript / 2)) { acquireAtOnce(some) }
    }

    private func acquireAtOnce(_ some: [Int]) {
        let time = Instant.now
        let starts = table.withLock { table in some.map { ($0, table.wasOwned[$0] ? "0" : group.start.bytes) } }
        redis.send(PartitionScript.acquire(group, starts), .repeated) { [self] reply in
            switch reply {
            case .failure(let error): return fail(error)
            case .success(let value):
                guard let rows = value.elements, rows.count == some.count else { return fail(unexpected(value)) }
                let isOwned = zip(some, rows).map { take($0, $1, time) }
                acquire(table.withLock { $0.finishAcquiring(some) })
                if isOwned.contains(false) {
                    // Again before the next turn: the owner is about to hand it over, or has died.
                    alarms.acquisition.set(after: group.lease / 10) { [weak self] in self?.acquire() }
                }
                proceed()
            }
        }
    }

    /// Takes the answer for one partition.
    ///
    /// - Returns: Whether it is owned now.
    private func take(_ partition: Int, _ row: RedisValue, _ time: Instant) -> Bool {
        guard let parts = row.elements, let kind = parts.first?.integer else { return false }
        if kind == 2 { report(redis.error(.server(parts[1].text ?? ""), "XGROUP"), in: partition) }
        guard kind == 0, parts.count == 5, let token = parts[1].integer else { return false }
        let owner = parts[2].bytes ?? ""
        let lease = PartitionLease(
            partition, token, self, former: owner.isEmpty ? nil : owner.copied(), end: time + group.lease,
            delivered: parts[4].bytes.flatMap { EntryID($0) } ?? EntryID(0, 0))
        let isMine = table.withLock { table in
            if !table.isMissing(partition) { return false }
            table.leases[partition] = lease
            table.mayHaveWork = true
            table.wasOwned[partition] = true
            table.problems[partition] = nil
            return true
        }
        if !isMine {
            // The plan has changed, or the stream has ended meanwhile.
            send(releaseOf: lease, .init())
            return true
        }
        if parts[3].integer == 1, owner != group.worker {
            notify(.withoutOwner(partition: partition, last: owner.copied()))
        }
        notify(.owned(partition: partition, token: token))
        // Asked so long ago that the ownership may have ended.
        if Instant.now >= time + group.lease { renew() }
        return true
    }

    /// Reports what is wrong with a partition, once.
    func report(_ error: RedisError, in partition: Int) {
        if table.withLock({ $0.problems.updateValue(error, forKey: partition) }) == error { return }
        notify(.failed(partition: partition, error))
        if group.whenPartitionFails == .fail { fail(error) }
    }

    func notify(_ what: PartitionEvent.What) {
        hub.events.send(PartitionEvent(group: group.group, worker: group.worker, what: what))
    }
}

extension PartitionTable {
    /// Whether a partition is to be owned, and is not.
    fileprivate func isMissing(_ partition: Int) -> Bool {
        life == .working && isPlanned[partition] && leases[partition] == nil
    }

    /// - Returns: The partitions to ask for: not those that are asked for already, which may have become free since.
    mutating func beginAcquiring() -> [Int] {
        leases.indices.filter { isMissing($0) && acquiring.begin($0) }
    }

    /// - Returns: Those to ask for again.
    mutating func finishAcquiring(_ partitions: some Collection<Int>) -> [Int] {
        partitions.filter { acquiring.finish($0) && isMissing($0) && acquiring.begin($0) }
    }

    /// Follows a new plan.
    ///
    /// - Returns: What another is to own.
    mutating func follow(_ version: Bytes, _ names: RedisValue, _ places: RedisValue, _ group: PartitionGroup)
        -> [PartitionLease]
    {
        let names = names.elements?.map { $0.bytes?.copied() } ?? []
        let places = places.elements?.map { Int($0.integer ?? -1) } ?? []
        self.version = version.copied()
        owners = Array(repeating: nil, count: owners.count)
        for place in stride(from: 0, to: places.count - 1, by: 2) where owners.indices.contains(places[place]) {
            owners[places[place]] = names.indices.contains(places[place + 1]) ? names[places[place + 1]] : nil
        }
        isPlanned = owners.map { $0 == group.worker }
        return owned.filter { !isPlanned[$0.partition] && !$0.isDraining }
    }
}
