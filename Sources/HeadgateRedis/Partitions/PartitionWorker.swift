import HeadgateEngine

/// One membership of a group: owns partitions, reads them for one subscriber, and hands them over.
///
/// Everything that changes ownership goes over the connection that commands share, in order; reads go over one of the
/// worker's own, which also waits at the server for all of its partitions at once. After its stream has been cancelled,
/// it lives until what it has handed out is done with.
// Threads share only what a lock guards. Steps come one after the other.
final class PartitionWorker: StreamSource, @unchecked Sendable {
    typealias Instant = ContinuousClock.Instant
    typealias Step = PartitionTable.Step

    /// What is to be acknowledged in one partition.
    struct Part {
        let lease: PartitionLease
        var waiting: [Acknowledger.Waiting] = []
        /// Whether nothing remains after that, and the lease is to be given up in the same step.
        var releases = false
    }

    let group: PartitionGroup
    let emitter: Emitter<Delivery, RedisError>
    let pipeline: Pipeline
    let table: Guarded<PartitionTable>
    let hub: PartitionHub
    let alarms = PartitionAlarms()

    /// The worker's own connections to the nodes of a cluster, made with it.
    @exclusivity(unchecked) private(set) var nodes: Cluster?

    init(_ group: PartitionGroup, _ emitter: Emitter<Delivery, RedisError>, _ pipeline: Pipeline) {
        self.group = group
        self.emitter = emitter
        self.pipeline = pipeline
        hub = group.partitions.hub
        table = Guarded(PartitionTable(group.partitions.count, readSize: pipeline.options.readSize))
        nodes = redis.watchedCluster(
            onMessage: { [weak self] in self?.hear($0) }, onConnection: { [weak self] in self?.hearOfAll() })
    }

    var redis: Redis { group.partitions.redis }

    func proceed() {
        if emitter.demand > .none { begin() }
        handOut()
        // Looked at under the lock: what has been handed out meanwhile is not requested any more.
        switch table.withLock({ $0.decide(emitter.demand, .now) }) {
        case .perform(let step): perform(step)
        case .ring: ring()
        case .nothing: break
        }
    }

    /// Joins the group with the first request.
    private func begin() {
        let isFirst = table.withLock { table in
            if table.life != .new { return false }
            table.life = .working
            return true
        }
        if !isFirst { return }
        redis.retainPipeline()
        // A node forgets with the connection what it is to tell of.
        nodes?.retain()
        watchBell()
        beat()
        keepTicking()
    }

    /// Ends the waiting of the step under way: there is something else to do.
    private func ring() {
        if nodes != nil { return endWaiting() }
        redis.send(PartitionScript.ring(group, for: group.worker), .repeated) { [weak self] reply in
            // It is refused while memory is full: the waiting ends by itself.
            if case .success = reply { return }
            self?.table.withLock { $0.hasRung = false }
        }
    }

    private func perform(_ step: Step) {
        var parts = [step]
        var blocks = Duration.zero
        switch step {
        case .read(let leases, let most) where nodes != nil: parts = leases.map { .read([$0], most: most) }
        case .wait(let leases, let time):
            if nodes != nil { return wait(for: leases, time) }
            blocks = time
        case .read, .list, .claim: break
        }
        table.withLock { $0.missing = parts.count }
        for part in parts { ask(command(for: part), blocks: blocks) { [weak self] in self?.take($0, to: part) } }
    }

    private func command(for step: Step) -> [Bytes] {
        switch step {
        case .read(let leases, let most):
            // Without the fence of any of them, the server reads nothing.
            return ["XREADGROUP", "GROUP", group.group, PartitionGroup.consumer, "COUNT", Bytes("\(most)"), "STREAMS"]
                + leases.flatMap { [$0.streamKey, $0.fenceKey] } + Array(repeating: ">", count: leases.count * 2)
        case .wait(let leases, let time):
            let (bell, ids) = table.withLock { ($0.bell, leases.map(\.position.bytes)) }
            return ["XREAD", "COUNT", "1", "BLOCK", Bytes("\(time.wholeMilliseconds)"), "STREAMS", group.bellKey]
                + leases.map(\.streamKey) + [bell.bytes] + ids
        case .list(let lease, let after):
            let first = after.map { group.partitions.joined("(", $0.bytes) } ?? "-"
            return ["XPENDING", lease.streamKey, group.group, first, "+", Bytes("\(PartitionTable.listLength)")]
        case .claim(let lease, let claims): return PartitionScript.claim(group, lease, claims)
        }
    }

    /// Sends a command over the worker's own connection, or on a cluster to the node of its partition.
    func ask(_ command: [Bytes], blocks: Duration = .zero, _ receive: @escaping @Sendable (Outcome) -> Void) {
        let request = Request(bytes: .command(command), kind: .step, blocks: blocks, receiver: ReplyClosure(receive))
        if let nodes { nodes.send(request) } else { pipeline.send(request) }
    }

    // MARK: - Handing out

    /// Hands out what there is demand for.
    func handOut() {
        let entries = table.withLock { table in
            let some = table.takeReady(emitter.demand, .now)
            // Kept under the lock: who looks at demand there finds each either ready or requested no more, and threads
            // agree on the order. The array retains them until the lock is released, should the subscriber have gone.
            for entry in some { emitter.keep(Delivery(hold: entry)) }
            return some
        }
        if !entries.isEmpty { emitter.serveOrLeave() }
    }

    func isHeld(_ lease: PartitionLease) -> Bool {
        let end = table.withLock { $0.isCurrent(lease) ? lease.end : nil }
        return end.map { Instant.now < $0 } ?? false
    }

    /// Takes back an entry that has been released without being acknowledged: the work on it has failed.
    func takeFailure(
        of id: EntryID, _ key: Bytes, _ count: Int, wasBeingAcknowledged: Bool, in lease: PartitionLease
    ) {
        let (isCurrent, isIdle) = table.withLock { table in
            lease.underWay -= 1
            if wasBeingAcknowledged { lease.beingAcknowledged -= 1 }
            if !table.isCurrent(lease) { return (false, false) }
            table.fail(id, key, count, in: lease, group)
            return (true, lease.isDraining && lease.isIdle)
        }
        if isIdle { giveUp(lease) }
        if isCurrent {
            wakeForRetrials()
            proceed()
        }
    }

    /// Sees to it that failed work is tried again in time.
    func wakeForRetrials() {
        let next: (due: Instant, pause: Duration)? = table.withLock { table in
            guard let due = table.owned.compactMap({ $0.failed.map(\.due).min() }).min() else { return nil }
            if let next = table.nextRetrial, next <= due { return nil }
            let pause = due - .now
            // What is due already waits for demand.
            table.mayHaveWork = table.mayHaveWork || pause <= .zero
            table.nextRetrial = pause > .zero ? due : nil
            return (due, pause)
        }
        guard let (due, pause) = next else { return }
        if pause <= .zero { return proceed() }
        alarms.retrial.set(after: pause) { [weak self] in
            guard let self else { return }
            table.withLock { table in
                table.nextRetrial = nil
                table.mayHaveWork = true
            }
            proceed()
            wakeForRetrials()
        }
        // Another thread may have set an earlier one, which this has displaced.
        let isDisplaced = table.withLock { table in
            guard let next = table.nextRetrial, next != due else { return false }
            table.nextRetrial = nil
            return true
        }
        if isDisplaced { wakeForRetrials() }
    }
}

extension PartitionTable {
    /// Takes what can be handed out, as far as there is demand.
    mutating func takeReady(_ demand: Subscribers.Demand, _ now: Instant) -> [PartitionEntry] {
        let most = min(demand.max ?? .max, ready.count)
        var some: [PartitionEntry] = []
        some.reserveCapacity(most)
        while some.count < most, let entry = ready.popFirst() {
            let lease = entry.lease
            if lease.isDraining || now >= lease.end {
                lease.parked.append(entry)
                continue
            }
            lease.handOut(entry)
            some.append(entry)
        }
        return some
    }

    /// Makes an entry ready to be handed out, now that its turn has come.
    mutating func enqueue(_ entry: PartitionEntry, in lease: PartitionLease) {
        if entry.isStuck {
            lease.failed.append(
                PartitionClaim(
                    id: entry.id, count: entry.count, holdsItsKey: true, key: entry.key, due: .now + .seconds(5)))
        } else if lease.isDraining || !lease.parked.isEmpty {
            lease.parked.append(entry)
        } else {
            ready.append(entry)
        }
    }

    /// Learns that the work on an entry has failed: it is delivered again.
    mutating func fail(_ id: EntryID, _ key: Bytes, _ count: Int, in lease: PartitionLease, _ group: PartitionGroup) {
        let holds = group.ordering == .byKey && group.whenWorkFails == .holdBack
        lease.failed.append(
            PartitionClaim(
                id: id, count: count + 1, holdsItsKey: holds, key: key, from: group.worker,
                due: .now + group.retryingAfter))
        if group.ordering == .byKey, !holds, let next = lease.finish(key) { enqueue(next, in: lease) }
    }
}
