@preconcurrency import Dispatch
import HeadgateCore
import HeadgateEngine

/// Hears from the nodes of a cluster what has changed.
///
/// No command waits at a server for streams in different slots. But a node tells a connection, once, that a key has
/// changed which was read over it (`CLIENT TRACKING`). So one connection to each node serves any number of partitions.
final class PartitionWatch: Sendable {
    private let worker = Guarded<WeakWorker?>(nil)

    private struct WeakWorker: Sendable {
        weak let worker: PartitionWorker?
    }

    func begin(_ worker: PartitionWorker) { self.worker.withLock { $0 = WeakWorker(worker: worker) } }

    func take(_ message: RedisValue) {
        guard let worker = worker.withLock({ $0 })?.worker, let parts = message.elements, parts.count == 2,
            parts[0].bytes == "invalidate"
        else { return }
        // The server may also say that it has forgotten everything.
        if let keys = parts[1].elements { worker.hear(of: keys.compactMap(\.bytes)) } else { worker.hearOfAll() }
    }

    func takeConnection() { worker.withLock { $0 }?.worker?.hearOfAll() }
}

/// What is different on a cluster, where each partition is in a slot of its own: a step consists of a command for each.
extension PartitionWorker {
    /// How many partitions a script is about.
    var mostInAScript: Int { nodes == nil ? PartitionTable.mostAtATime : 1 }

    func perform(_ step: Step, over nodes: Cluster) {
        switch step {
        case .read(_, _, let time?): beginWaiting(for: time)
        case .read(let leases, let most, nil):
            let ids = table.withLock { _ in
                leases.map { lease in
                    lease.hasChanged = false
                    return max(lease.newest, lease.delivered).bytes
                }
            }
            gather(
                zip(leases, ids).map { ["XREAD", "COUNT", Bytes("\(most)"), "STREAMS", $0.streamKey, $1] }, nodes
            ) { [weak self] in self?.takeRead($0, leases, most, step) }
        case .deliver(let batches):
            gather(batches.map { PartitionScript.deliver(group, [$0]) }, nodes) { [weak self] in
                self?.takeDelivered($0, batches, step)
            }
        case .list(let lease, let after):
            gather([listing(lease, after)], nodes) { [weak self] in self?.take($0[0], to: step) }
        case .claim(let lease, let claims):
            gather([PartitionScript.claim(group, lease, claims)], nodes) { [weak self] in self?.take($0[0], to: step) }
        }
    }

    private func gather(
        _ commands: [[Bytes]], _ nodes: Cluster, _ receive: @escaping @Sendable ([Outcome<RESPReply>]) -> Void
    ) {
        Gathering(commands.count, receive).send(commands, .step, over: nodes)
    }

    // MARK: - Replies

    private func takeRead(_ outcomes: [Outcome<RESPReply>], _ leases: [PartitionLease], _ most: Int, _ step: Step) {
        var found = FoundEntries()
        var size = 0
        var problem: RedisError?
        for (lease, outcome) in zip(leases, outcomes) {
            switch outcome {
            case .value(let reply):
                var reader = RESPReader(reply)
                guard let some = reader.partitions(group) else { return fail(unexpected(reply.value)) }
                found.entries.merge(some.entries) { $1 }
                size += reply.size
            case .lost: pause([lease])
            case .failure(let error): problem = problem ?? error
            }
        }
        if let problem, !bear(problem, step) { return fail(problem) }
        if case .next(let next) = takeEntries(found, size, leases, most, nil) { return perform(next) }
        finish(step)
    }

    private func takeDelivered(_ outcomes: [Outcome<RESPReply>], _ batches: [Batch], _ step: Step) {
        var answers: [RedisValue] = []
        var answered: [Batch] = []
        for (batch, outcome) in zip(batches, outcomes) {
            switch outcome {
            case .value(let reply):
                answers += reply.value.elements ?? []
                answered.append(batch)
            case .lost:
                table.withLock { _ in batch.lease.undelivered = batch.entries }
                pause([batch.lease])
            case .failure(let error): return fail(error)
            }
        }
        if !takeDelivered(.array(answers), answered) { return fail(unexpected(.array(answers))) }
        finish(step)
    }

    // MARK: - Waiting

    /// Waits until a node tells of a change, or until a time has passed.
    private func beginWaiting(for time: Duration) {
        let alarm = Pipeline.alarm.after(time) { [weak self] in
            self?.table.withLock { $0.mayHaveWork = true }
            self?.proceed()
        }
        let old = table.withLock { exchange(&$0.waiting, with: alarm) }
        withExtendedLifetime(old) {}
        // Something may have happened before this waited.
        proceed()
    }

    /// Asks nothing of partitions for a while whose node is gone; others go on.
    func pause(_ leases: [PartitionLease]) {
        if nodes == nil { return }
        table.withLock { _ in
            for lease in leases {
                lease.hasChanged = true
                lease.mayHaveMore = true
                lease.resumption = .now + .milliseconds(100)
            }
        }
    }

    /// Ends the waiting: there is something else to do.
    func endWaiting() {
        let (isFirst, alarm) = table.withLock { table in
            defer { table.isWaiting = false }
            if table.isWaiting { table.turn.finish() }
            return (table.isWaiting, table.waiting.take())
        }
        withExtendedLifetime(alarm) {}
        if isFirst { proceed() }
    }

    fileprivate func hear(of keys: [Bytes]) {
        var hasRung = false
        table.withLock { table in
            for key in keys {
                if key == group.bellKey { hasRung = true }
                guard let partition = group.partition(at: key), table.leases.indices.contains(partition) else {
                    continue
                }
                table.leases[partition]?.change()
                table.mayHaveWork = true
            }
        }
        if hasRung {
            watchBell()
            beatSoon()
        }
        proceed()
    }

    /// Looks at all partitions now and then: a stream that did not exist when its slot moved changes unheard.
    func lookAtAll() {
        if nodes != nil, table.withLock({ .now - $0.lastLook > PartitionTable.longestWait }) { hearOfAll() }
    }

    fileprivate func hearOfAll() {
        table.withLock { table in
            table.lastLook = .now
            for lease in table.leases { lease?.change() }
            table.mayHaveWork = true
        }
        watchBell()
        proceed()
    }

    /// Has the node tell when the bell rings.
    func watchBell() {
        guard let nodes, table.withLock({ if case .working = $0.life { true } else { false } }) else { return }
        Gathering(1) { _ in }.send([["EXISTS", group.bellKey]], .step, over: nodes)
    }
}

extension PartitionLease {
    fileprivate func change() {
        hasChanged = true
        mayHaveMore = true
    }
}
