extension DeliverySource {
    func take(_ reply: Outcome, to step: Step) {
        switch reply {
        case .value(let reply):
            state.isDoubtful = false
            if !take(reply, step) { return fail(unexpected("\(reply.value) to \(step)", "XREADGROUP")) }
        case .lost: lookAgain(after: step)
        case .failure(let error):
            if case .create = step, error.code == "BUSYGROUP" {
                state.isCreated = true
            } else if error.isLostGroup {
                if !state.isCreated { return create() }
                if asksAgain() { return goOn() }
                if group.whenGroupIsLost == .fail { return fail(error.ofLostGroup) }
                createAgain()
            } else if !error.isUnblocked {
                return fail(error)
            }
        }
        goOn()
    }

    private func goOn() {
        shared.withLock { $0.turn.finish() }
        proceed()
    }

    /// Whether the group is asked for once more, because a key that moves to another node of a cluster vanishes from the
    /// former, which ends the reads that wait there.
    private func asksAgain() -> Bool {
        guard group.stream.redis.cluster != nil else { return false }
        state.isDoubtful.toggle()
        return state.isDoubtful
    }

    /// Called when the connection was lost: what the server has delivered into it is pending for this consumer.
    private func lookAgain(after step: Step) {
        if case .claim(let pending, _) = step {
            // If it was executed, the server has counted what has not been handed on.
            for entry in pending where !state.arrived.contains(entry.id) {
                state.handedOn[entry.id] = entry.handedOn ?? entry.count
            }
            state.arrived = []
        }
        state.hasLostConnection = true
        state.lookAtOwn()
        state.nextLook = .now
    }

    private func createAgain() {
        let (stream, group) = (self.group.stream, self.group.group)
        // From the beginning, whatever the group began with: what is there now was added after the loss.
        let receiver = ReplyClosure.reading { [weak self] reply in
            if case .failure(let error) = reply, error.code != "BUSYGROUP" { self?.fail(error) }
        }
        let command: [Bytes] = ["XGROUP", "CREATE", stream.key, group, "0", "MKSTREAM"]
        pipeline.send(Request(bytes: .command(command), kind: .repeated, receiver: receiver))
        state.lookAtOwn()
        state.newest = EntryID(0, 0)
        state.handedOn = [:]
        holds.table.lose()
        stream.redis.notify(.groupLost(stream: stream.key, group: group))
    }

    /// Takes a reply.
    ///
    /// - Returns: Whether it is one to this step.
    private func take(_ reply: RESPReply, _ step: Step) -> Bool {
        switch step {
        case .create: state.isCreated = true
        case .list(let idle, _):
            guard let rows = reply.value.elements else { return false }
            takeList(rows.compactMap { Pending($0) }, isWhole: rows.count < Self.listLength, idle)
        case .look:
            guard let parts = reply.value.elements, let wait = parts.first?.integer else { return false }
            takeLook(parts, .milliseconds(wait))
        case .claim, .read: return false
        }
        return true
    }

    func elements(of step: Step) -> ReplyElements? {
        switch step {
        case .claim: .array
        case .read: .entriesOfStream
        case .create, .list, .look: nil
        }
    }

    func take(_ count: Int, _ reader: inout RESPReader, _ step: Step) -> Bool {
        defer { emitter.serve() }
        switch step {
        case .claim(_, let time): for _ in 0..<count where !deliverAgain(&reader, time) { return false }
        case .read(_, _, let time):
            var newest: EntryID?
            for _ in 0..<count {
                guard let (id, fields) = reader.entry() else { return false }
                newest = id
                if let fields { deliver(id, fields, 1, nil, time) } else { reportGone(id) }
            }
            if let newest { state.newest = newest }
        case .create, .list, .look: return false
        }
        return true
    }

    func finish(_ step: Step, _ count: Int, _ size: Int) {
        shared.withLock { $0.turn.learn(count, size) }
        state.isDoubtful = false
        switch step {
        case .claim(let pending, _):
            for entry in pending { state.handedOn[entry.id] = nil }
            state.arrived = []
        case .read(_, let block, _):
            state.isCreated = true
            if count == 0, block != nil { waited() }
        case .create, .list, .look: break
        }
        goOn()
    }

    /// Called when the server had nothing new in time.
    private func waited() {
        if state.hasLostConnection {
            // One that this consumer had before may have read what it did not receive.
            state.hasLostConnection = false
            state.lookAtOwn()
        } else if group.takeOverAfter == nil {
            // Nobody else looks for what has been released without having been acknowledged.
            state.lookAtOwn(idle: group.idleTime)
        }
    }

    private func takeList(_ rows: [Pending], isWhole: Bool, _ idle: Duration) {
        // What this process still works on is not delivered again.
        let held = rows.isEmpty ? [] : holds.table.ids
        state.isCreated = true
        state.listed = []
        for var row in rows where !held.contains(row.id) {
            row.idle = idle
            row.handedOn = state.handedOn[row.id] ?? (state.hasRead && row.id > state.newest ? 0 : nil)
            state.listed.append(row)
        }
        if !state.hasRead, let last = rows.last { state.newest = max(state.newest, last.id) }
        state.looksAtOwn = !isWhole
        state.ownCursor = rows.last?.id
    }

    /// Takes what others have left, or when to look because another has looked.
    private func takeLook(_ parts: [RedisValue], _ wait: Duration) {
        let found = parts.count == 3 ? parts[2].elements ?? [] : []
        let rows = found.compactMap { Pending($0, idle: group.idleTime) }
        let held = rows.isEmpty ? [] : holds.table.ids
        state.isCreated = true
        state.listed = rows.filter { $0.owner != group.consumer || !held.contains($0.id) }
        let cursor = parts.count == 3 ? parts[1].bytes ?? "" : ""
        state.othersCursor = cursor.isEmpty ? nil : cursor
        state.readsBetween = state.listed.isEmpty
        if wait > .zero { state.nextLook = min(state.nextLook, .now + wait) }
    }

    /// Delivers an entry of the reply to a claim: identifier, fields, count and last consumer; only the identifier, or with
    /// it why the entry can't be moved.
    ///
    /// - Returns: Whether it is one.
    private func deliverAgain(_ reader: inout RESPReader, _ time: Instant) -> Bool {
        guard let parts = reader.elements(), parts > 0, let id = reader.id() else { return false }
        state.arrived.insert(id)
        switch parts {
        case 4:
            let fields = reader.fields()
            let (count, owner) = (reader.value(), reader.value())
            guard let fields else {
                reportGone(id)
                return true
            }
            // An entry that was lost on the way has now been handed on.
            if state.hasRead { state.newest = max(state.newest, id) }
            deliver(id, fields, Int(count?.integer ?? 1), owner?.bytes, time)
        case 2:
            let words = reader.string().map { String($0) } ?? ""
            group.stream.redis.notify(.notMoved(stream: group.stream.key, id: id, words))
        default:
            reportGone(id)
            reader.skip(parts - 1)
        }
        return true
    }

    private func deliver(_ id: EntryID, _ fields: EntryFields, _ count: Int, _ owner: Bytes?, _ time: Instant) {
        let hold = ConsumerHold(id, fields, count: count, takenFrom: owner, in: holds, since: time)
        emitter.keep(Delivery(hold: hold))
    }

    private func reportGone(_ id: EntryID) { group.stream.redis.notify(.entryGone(stream: group.stream.key, id: id)) }
}
