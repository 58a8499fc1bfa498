import HeadgateCore
import HeadgateEngine

/// Reads the entries of a group for one subscriber: one command at a time, against its demand.
// Threads share only what a lock guards. Replies come one after the other, so deliveries do, too.
final class DeliverySource: StreamSource, @unchecked Sendable {
    /// What to ask the server next.
    enum Step: Sendable {
        case create
        /// Lists what is pending for this consumer, or for others.
        case list(own: Bool, after: EntryID?)
        case claim(own: Bool, [Pending])
        case read(Int, block: Duration)
    }

    /// An entry in the list of those that are pending.
    struct Pending {
        let id: EntryID
        let owner: Bytes
    }

    private struct State {
        var turn = SourceTurn()
        var isCreated = false
        /// What is claimed before anything else is listed.
        var listed: [Pending] = []
        var isListOwn = true
        /// Whether what is pending for this consumer is looked through, and how far.
        var looksAtOwn = true
        var ownCursor: EntryID?
        /// Whether what is pending for others is looked through, and how far.
        var looksAtOthers = true
        var othersCursor: EntryID?
        var nextLook = ContinuousClock.now
    }

    private let group: DeliveryGroup
    private let start: GroupStart
    let emitter: Emitter<Delivery, RedisError>
    let pipeline: Pipeline
    private let holds: Holds
    private let state = Guarded(State())

    /// How long the server waits for entries before it answers that there are none.
    private static let longestBlock = Duration.seconds(5)

    init(
        _ group: DeliveryGroup, _ start: GroupStart, _ emitter: Emitter<Delivery, RedisError>, _ pipeline: Pipeline
    ) {
        self.group = group
        self.start = start
        self.emitter = emitter
        self.pipeline = pipeline
        holds = Holds(group)
    }

    func end() { state.withLock { $0.turn.end() } }

    func proceed() {
        // Read first: the end of a step reads it again afterwards.
        let demand = emitter.demand
        let step: Step? = state.withLock { state in
            guard let count = state.turn.begin(for: demand) else { return nil }
            return next(count, &state)
        }
        if let step { perform(step) }
    }

    private func next(_ demand: Int, _ state: inout State) -> Step {
        if !state.isCreated { return .create }
        if !state.listed.isEmpty {
            let some = Array(state.listed.prefix(demand))
            state.listed.removeFirst(some.count)
            return .claim(own: state.isListOwn, some)
        }
        if state.looksAtOwn { return .list(own: true, after: state.ownCursor) }
        guard let time = group.takeOverAfter else { return .read(demand, block: Self.longestBlock) }
        let now = ContinuousClock.now
        if state.looksAtOthers || now >= state.nextLook {
            if !state.looksAtOthers { state.othersCursor = nil }
            state.looksAtOthers = true
            state.nextLook = now + time / 3
            return .list(own: false, after: state.othersCursor)
        }
        return .read(demand, block: min(Self.longestBlock, max(.milliseconds(1), state.nextLook - now)))
    }

    private func perform(_ step: Step) {
        let (key, group, consumer) = (self.group.stream.key, self.group.group, self.group.consumer)
        switch step {
        case .create:
            makeRequest(["XGROUP", "CREATE", key, group, start.bytes, "MKSTREAM"], step)
        case .list(let own, let after):
            let idle = self.group.takeOverAfter?.wholeMilliseconds ?? 0
            makeRequest(
                ["XPENDING", key, group] + (own ? [] : ["IDLE", Bytes("\(idle)")])
                    + [after.map { Bytes("(\($0)") } ?? "-", "+", Bytes("\(Self.listLength)")]
                    + (own ? [consumer] : []),
                step)
        case .claim(let own, let pending):
            var keys = [key]
            var limit = 0
            if case .atMost(let count, let rest) = self.group.limit {
                limit = count
                keys.append(rest.key)
            }
            let idle = own ? 0 : self.group.takeOverAfter?.wholeMilliseconds ?? 0
            makeRequest(
                Script.claim(
                    keys: keys,
                    [group, consumer, Bytes("\(idle)"), Bytes("\(limit)")]
                        + pending.flatMap { [$0.id.bytes, $0.owner] }),
                step)
        case .read(let count, let block):
            makeRequest(
                [
                    "XREADGROUP", "GROUP", group, consumer, "COUNT", Bytes("\(count)"), "BLOCK",
                    Bytes("\(block.wholeMilliseconds)"), "STREAMS", key, ">",
                ], step, blocks: block)
        }
    }

    private static let listLength = 100

    func take(_ reply: Outcome<RESPReply>, to step: Step) {
        switch reply {
        case .value(let reply):
            if !take(reply, step) { return fail(unexpected(reply.value, step)) }
        case .lost:
            // What the server has delivered into the lost connection is pending for this consumer.
            state.withLock { state in
                state.looksAtOwn = true
                state.ownCursor = nil
                state.listed = []
            }
        case .failure(let error):
            if case .create = step, error.code == "BUSYGROUP" {
                state.withLock { $0.isCreated = true }
            } else if error.isLostGroup, group.whenGroupIsLost == .createAgain {
                createAgain()
            } else {
                let reason: RedisError.Reason =
                    if error.isLostGroup, case .server(let words) = error.reason { .groupLost(words) } else {
                        error.reason
                    }
                return fail(RedisError(reason, command: error.command, address: error.address))
            }
        }
        state.withLock { $0.turn.finish() }
        proceed()
    }

    private func createAgain() {
        let (stream, group) = (self.group.stream, self.group.group)
        // From the beginning, whatever the group began with: what is there now was added after the loss.
        let receiver = ReplyClosure.reading { [weak self] reply in
            if case .failure(let error) = reply, error.code != "BUSYGROUP" { self?.fail(error) }
        }
        let command: [Bytes] = ["XGROUP", "CREATE", stream.key, group, "0", "MKSTREAM"]
        pipeline.send(Request(bytes: .command(command), resends: true, receiver: receiver))
        state.withLock { state in
            state.listed = []
            state.looksAtOwn = true
            state.ownCursor = nil
        }
        holds.loseAll()
        stream.redis.notify(.groupLost(stream: stream.key, group: group))
    }

    private func unexpected(_ value: RedisValue, _ step: Step) -> RedisError {
        RedisError(.unexpected("\(value) to \(step)"), command: "XREADGROUP", address: group.stream.redis.description)
    }

    /// Takes a reply.
    ///
    /// - Returns: Whether it is one to this step.
    private func take(_ reply: RESPReply, _ step: Step) -> Bool {
        switch step {
        case .create:
            state.withLock { $0.isCreated = true }
            return true
        case .list(let own, _):
            guard let rows = reply.value.elements else { return false }
            takeList(rows.compactMap(Pending.init), isWhole: rows.count < Self.listLength, own)
            return true
        case .claim:
            var reader = RESPReader(reply)
            guard let count = reader.elements() else { return false }
            defer { emitter.serve() }
            for _ in 0..<count where !deliverAgain(&reader) { return false }
            return true
        case .read:
            var reader = RESPReader(reply)
            guard let count = reader.entriesOfStream() else { return false }
            defer { emitter.serve() }
            for _ in 0..<count {
                guard let (id, fields) = reader.entry() else { return false }
                if let fields { deliver(id, fields, 1, nil) } else { reportGone(id) }
            }
            if count == 0, group.takeOverAfter == nil {
                // A connection that this consumer had before may have read what it did not receive.
                state.withLock { state in
                    state.looksAtOwn = true
                    state.ownCursor = nil
                }
            }
            return true
        }
    }

    private func takeList(_ rows: [Pending], isWhole: Bool, _ own: Bool) {
        // What this process still works on is not delivered again.
        let held = rows.isEmpty ? [] : holds.ids
        let free = rows.filter { $0.owner != group.consumer || !held.contains($0.id) }
        state.withLock { state in
            state.listed = free
            state.isListOwn = own
            if own {
                state.looksAtOwn = !isWhole
                state.ownCursor = rows.last?.id
            } else {
                state.looksAtOthers = !isWhole
                state.othersCursor = rows.last?.id
            }
        }
    }

    /// Delivers an entry of the reply to a claim: identifier, fields, count and last consumer, or only the identifier.
    ///
    /// - Returns: Whether it is one.
    private func deliverAgain(_ reader: inout RESPReader) -> Bool {
        guard let parts = reader.elements(), parts > 0, let id = reader.id() else { return false }
        guard parts == 4 else {
            reportGone(id)
            reader.skip(parts - 1)
            return true
        }
        let fields = reader.fields()
        let (count, owner) = (reader.value(), reader.value())
        if let fields { deliver(id, fields, Int(count?.integer ?? 1), owner?.bytes) } else { reportGone(id) }
        return true
    }

    private func deliver(_ id: EntryID, _ fields: EntryFields, _ count: Int, _ owner: Bytes?) {
        let hold = Hold(id, in: holds, again: count > 1)
        emitter.keep(Delivery(id: id, fields: fields, count: count, takenFrom: owner, hold: hold))
    }

    private func reportGone(_ id: EntryID) { group.stream.redis.notify(.entryGone(stream: group.stream.key, id: id)) }
}

extension DeliverySource.Pending {
    /// Reads a row of the list: identifier, consumer, idle time, count.
    init?(_ row: RedisValue) {
        guard let parts = row.elements, parts.count == 4, let id = parts[0].bytes.flatMap({ EntryID($0) }),
            let owner = parts[1].bytes
        else { return nil }
        self.init(id: id, owner: owner)
    }
}

extension Duration {
    /// The milliseconds, rounded up.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(min(seconds, 1 << 40)) * 1_000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
