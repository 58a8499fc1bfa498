/// Sends the entries of one stream of `add` to their partitions, once the number of these is confirmed.
// Upstream delivers one value at a time; after that, what waits is sent by one thread at a time.
@usableFromInline final class PartitionAdder: @unchecked Sendable {
    private struct Draft {
        let fields: EntryFields
        let partition: Int
        let id: EntryID?
        let number: Int
    }

    private struct State {
        var hasAsked = false
        var isOpen = false
        var isOver = false
        /// What waits until the number of partitions is confirmed: at most as many as may be under way.
        var waiting: [Draft] = []
    }

    private let partitions: RedisPartitions
    private let adder: Adder
    private let fail: (RedisError) -> Void
    private let state = Guarded(State())

    /// - Parameters:
    ///   - keep: Confirms an entry by its number.
    ///   - serve: Publishes what has been confirmed.
    ///   - fail: Ends the stream.
    @usableFromInline init(
        _ partitions: RedisPartitions, _ trimming: StreamTrimming, choosesIDs: Bool,
        keep: @escaping (PartitionEntryID, Int) -> Void, serve: @escaping () -> Void,
        fail: @escaping (RedisError) -> Void
    ) {
        self.partitions = partitions
        self.fail = fail
        adder = Adder(
            partitions.redis, partitions.count, { partitions.key($0) }, trimming, choosesIDs: choosesIDs,
            keep: { keep(PartitionEntryID(partition: $1, id: $0), $2) }, serve: serve, fail: fail)
    }

    /// Asks for the number of partitions.
    private func ask() {
        partitions.hub.open(partitions) { [weak self] problem in
            guard let self else { return }
            if let problem { fail(problem) } else { open() }
        }
    }

    /// Sends what has waited, in its order, and lets the rest pass after that.
    private func open() {
        while true {
            let drafts: [Draft] = state.withLock { state in
                if state.waiting.isEmpty { state.isOpen = true }
                return exchange(&state.waiting, with: [])
            }
            if drafts.isEmpty { return }
            for draft in drafts { send(draft) }
        }
    }

    @usableFromInline func add(_ fields: EntryFields, key: Bytes, id: EntryID?, number: Int) {
        let draft = Draft(
            fields: fields.keyed(by: key), partition: partitions.partition(of: key), id: id, number: number)
        let (isOpen, isFirst) = state.withLock { state in
            if !state.isOpen, !state.isOver { state.waiting.append(draft) }
            defer { state.hasAsked = true }
            return (state.isOpen, !state.hasAsked)
        }
        if isOpen { send(draft) } else if isFirst { ask() }
    }

    private func send(_ draft: Draft) {
        adder.add(draft.fields, to: draft.partition, id: draft.id, number: draft.number)
    }

    /// Called at the end: what has not been sent is not.
    @usableFromInline func end() {
        state.withLock { state in
            state.isOver = true
            state.waiting = []
        }
    }
}

extension EntryFields {
    /// The fields, and before them that of the key.
    func keyed(by key: Bytes) -> EntryFields {
        let field = EntryFields(strings: [RedisPartitions.keyField, key])
        let size = field.encoded.count + encoded.count
        return EntryFields(encoded: Bytes(joining: [field.encoded, encoded], count: size), count: count + 1)
    }
}
