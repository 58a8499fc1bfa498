extension PartitionWorker: AcknowledgementTarget {
    /// The most identifiers in one script: Lua can't pass more than some thousands to a command.
    private static let mostAtATime = 1_000

    func acknowledge(
        _ waiting: [Acknowledger.Waiting], deleting: Bool, _ receive: @escaping @Sendable (Acknowledgement) -> Void
    ) {
        if waiting.count > Self.mostAtATime {
            for some in waiting.parts(of: Self.mostAtATime) { acknowledge(some, deleting: deleting, receive) }
            return
        }
        let parts = table.withLock { $0.parts(of: waiting) }
        if nodes == nil { return acknowledge(waiting, parts, deleting, receive) }
        for part in parts { acknowledge(part.waiting, [part], deleting, receive) }
    }

    private func acknowledge(
        _ waiting: [Acknowledger.Waiting], _ parts: [Part], _ deleting: Bool,
        _ receive: @escaping @Sendable (Acknowledgement) -> Void
    ) {
        let receiver = ReplyClosure.reading { [self] reply in
            switch reply {
            case .failure(let error): receive(.failure(error))
            case .success(let value):
                let done = value.elements?.map { $0.integer ?? -1 } ?? []
                if done.count != parts.count { return receive(.failure(unexpected(value))) }
                receive(.success(take(waiting, parts, done.map { $0 >= 0 })))
                proceed()
            }
        }
        redis.send(PartitionScript.acknowledge(group, parts, deletes: deleting), .repeated, to: receiver)
    }

    /// Learns which parts have been acknowledged.
    private func take(
        _ waiting: [Acknowledger.Waiting], _ parts: [Part], _ isDone: [Bool]
    ) -> (done: [Acknowledger.Waiting], refused: [Acknowledger.Waiting]) {
        var handedOver: [PartitionLease] = []
        var idle: [PartitionLease] = []
        table.withLock { table in
            for (part, isDone) in zip(parts, isDone) {
                let lease = part.lease
                if !isDone || !table.isCurrent(lease) {
                    for waiting in part.waiting { lease.endAcknowledging(waiting.entry) }
                    continue
                }
                for waiting in part.waiting { table.finish(waiting.entry, in: lease) }
                if part.releases {
                    _ = table.remove(lease)
                    handedOver.append(lease)
                } else if lease.isDraining, lease.isIdle {
                    idle.append(lease)
                }
            }
        }
        for lease in handedOver { reportHandOver(of: lease, 0) }
        for lease in idle { giveUp(lease) }
        let refused = zip(parts, isDone).filter { !$0.1 }.map(\.0)
        for part in refused {
            notify(.notAcknowledged(partition: part.lease.partition, token: part.lease.token, part.waiting.map(\.id)))
            lose(part.lease, to: "")
        }
        if !handedOver.isEmpty { finishLeaving() }
        if refused.isEmpty { return (waiting, []) }
        acquire()
        return (zip(parts, isDone).filter(\.1).flatMap(\.0.waiting), refused.flatMap(\.waiting))
    }
}

extension PartitionTable {
    /// Sorts what is to be acknowledged by its partitions.
    mutating func parts(of waiting: [Acknowledger.Waiting]) -> [PartitionWorker.Part] {
        var parts: [PartitionWorker.Part] = []
        for waiting in waiting {
            let lease = waiting.entry.lease
            lease.beginAcknowledging(waiting.entry)
            // Usually several of a partition come one after the other: the last part is looked at first.
            if let place = parts.lastIndex(where: { $0.lease === lease }) {
                parts[place].waiting.append(waiting)
            } else {
                parts.append(.init(lease: lease, waiting: [waiting]))
            }
        }
        for place in parts.indices {
            let lease = parts[place].lease
            // What is not unused has been counted when it was read, and gives its count back with a command of its own.
            let isLast = lease.isBeingFinished && lease.isUsedUp
            parts[place].releases = isCurrent(lease) && lease.isDraining && isLast
        }
        return parts
    }

    /// Learns that an entry has been acknowledged.
    mutating func finish(_ entry: PartitionEntry, in lease: PartitionLease) {
        if !lease.end(entry) { return }
        if let next = lease.finish(entry.key) { enqueue(next, in: lease) }
        // There may be room for another.
        mayHaveWork = true
    }
}

extension Acknowledger.Waiting {
    /// The entry of a partition: a worker is the target of no other holds.
    fileprivate var entry: PartitionEntry { unsafeDowncast(hold, to: PartitionEntry.self) }
}
