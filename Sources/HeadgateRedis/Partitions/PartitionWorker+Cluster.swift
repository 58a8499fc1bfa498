/// What is different on a cluster, where each partition is in a slot of its own: a step consists of a command for each.
///
/// No command waits at a server for streams in different slots. But a node tells a connection, once, that a key has
/// changed which was read over it (`CLIENT TRACKING`). So one connection to each node serves any number of partitions.
extension PartitionWorker {
    /// How many partitions a script is about.
    var mostInAScript: Int { nodes == nil ? PartitionTable.mostAtATime : 1 }

    // MARK: - Waiting

    /// Waits until a node tells of a change, or until a time has passed.
    func wait(for leases: [PartitionLease], _ time: Duration) {
        alarms.waiting.set(after: time) { [weak self] in
            self?.table.withLock { $0.mayHaveWork = true }
            self?.proceed()
        }
        // Something may have happened before this waited.
        proceed()
        look(at: leases)
    }

    /// Has nodes tell of the next change, unless they are to already, and finds out what has changed before that.
    private func look(at leases: [PartitionLease]) {
        let some = table.withLock { _ in
            leases.filter { !exchange(&$0.isWatched, with: true) }.map { ($0, $0.position.bytes) }
        }
        for (lease, id) in some {
            ask(["XREAD", "COUNT", "1", "STREAMS", lease.streamKey, id]) { [weak self] in
                self?.takeLook($0, at: lease)
            }
        }
    }

    private func takeLook(_ outcome: Outcome, at lease: PartitionLease) {
        switch outcome {
        case .value(let reply):
            var reader = RESPReader(reply)
            guard let found = reader.signs(of: [lease], group.bellKey) else { return fail(unexpected(reply.value)) }
            takeSigns(found, [lease])
            if found.newest[0] != nil { proceed() }
        case .lost:
            pause([lease])
            // It is waited for no longer than that.
            endWaiting()
        case .failure(let error):
            table.withLock { _ in lease.isWatched = false }
            if !bear(error, .wait([lease], .zero)) { return fail(error) }
        }
    }

    /// Asks nothing of partitions for a while whose node is gone; others go on.
    func pause(_ leases: [PartitionLease]) {
        if nodes == nil { return }
        table.withLock { _ in
            for lease in leases {
                lease.isWatched = false
                lease.mayHaveMore = true
                lease.resumption = .now + .milliseconds(100)
            }
        }
    }

    /// Ends the waiting: there is something else to do.
    func endWaiting() {
        // Before another caller can begin to wait again, with an alarm of its own.
        alarms.waiting.cancel()
        let isFirst = table.withLock { table in
            defer { table.isWaiting = false }
            if table.isWaiting { table.turn.finish() }
            return table.isWaiting
        }
        if isFirst { proceed() }
    }

    /// Hears from a node what has changed.
    func hear(_ message: RedisValue) {
        guard let parts = message.elements, parts.count == 2, parts[0].bytes == "invalidate" else { return }
        // The server may also say that it has forgotten everything.
        if let keys = parts[1].elements { hear(of: keys.compactMap(\.bytes)) } else { hearOfAll() }
    }

    private func hear(of keys: [Bytes]) {
        var hasRung = false
        table.withLock { table in
            for key in keys {
                if key == group.bellKey { hasRung = true }
                guard let partition = group.partition(at: key), table.leases.indices.contains(partition) else {
                    continue
                }
                table.leases[partition]?.isWatched = false
                table.leases[partition]?.mayHaveMore = true
                table.mayHaveWork = true
            }
        }
        if hasRung {
            watchBell()
            answerBell()
        }
        proceed()
    }

    /// Looks at all partitions now and then: a stream that did not exist when its slot moved changes unheard.
    func lookAtAll() {
        if nodes != nil, table.withLock({ .now - $0.lastLook > PartitionTable.longestWait }) { hearOfAll() }
    }

    func hearOfAll() {
        let waiting = table.withLock { table in
            table.lastLook = .now
            for lease in table.leases { lease?.isWatched = false }
            return table.isWaiting ? table.owned.filter { $0.isThere(.now) && !$0.isDraining } : []
        }
        watchBell()
        look(at: waiting)
    }

    /// Has the node tell when the bell rings.
    func watchBell() {
        if nodes != nil, table.withLock({ $0.life == .working }) {
            ask(["EXISTS", group.bellKey]) { _ in }
        }
    }
}
