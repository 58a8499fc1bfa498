/// Reads the entries of a group for one subscriber: one command at a time, against its demand.
// Threads share only what a lock guards. Replies come one after the other, so deliveries do, too.
final class DeliverySource: StreamSource, @unchecked Sendable {
    typealias Instant = ContinuousClock.Instant

    /// What to ask the server next.
    enum Step: Sendable {
        case create
        /// Lists what is pending for this consumer and has not been renewed for a time.
        case list(idle: Duration, after: EntryID?)
        /// Looks for what others have left; from the place that the script told.
        case look(from: Bytes)
        case claim([Pending], Instant)
        case read(Int, block: Duration?, Instant)
    }

    /// An entry in the list of those that are pending.
    struct Pending {
        let id: EntryID
        let owner: Bytes
        /// How often it has been delivered.
        let count: Int
        /// How often it has been handed on, where that is less.
        var handedOn: Int?
        /// How long it must have been idle.
        var idle = Duration.zero
    }

    struct State {
        /// Whether the group was there.
        var isCreated = false
        /// Whether a node of a cluster has said that it is not there any more: its slot may have moved meanwhile.
        var isDoubtful = false
        /// What is claimed before anything else is listed.
        var listed: [Pending] = []
        /// Whether what is pending for this consumer is looked through, of what idle time, and how far.
        var looksAtOwn = true
        var ownIdle = Duration.zero
        var ownCursor: EntryID?
        /// Whether a lost connection may have read, or be reading, what it did not deliver.
        var hasLostConnection = false
        /// Where to go on to look at what is pending for others; nothing while that is not under way.
        var othersCursor: Bytes?
        /// Whether the next step is to read, although a look is not complete.
        var readsBetween = false
        var nextLook = Instant.now
        /// The last new entry that has been handed on, or was pending when this began: what this consumer has beyond has
        /// been lost on the way to it.
        var newest = EntryID(0, 0)
        var hasRead = false
        /// How often entries had been handed on whose claim was lost on the way.
        var handedOn: [EntryID: Int] = [:]
        /// What has arrived of the claim that is under way.
        var arrived: Set<EntryID> = []

        /// Looks through what is pending for this consumer from the beginning, and at nothing else before.
        mutating func lookAtOwn(idle: Duration = .zero) {
            looksAtOwn = true
            ownIdle = idle
            ownCursor = nil
            listed = []
            othersCursor = nil
        }
    }

    let group: DeliveryGroup
    private let start: GroupStart
    private let marker: Bytes
    let emitter: Emitter<Delivery, RedisError>
    let pipeline: Pipeline
    let holds: Holds

    /// Whose turn it is, and whether the connection that commands share is kept open for this: what is read has to be
    /// acknowledged.
    let shared: Guarded<(turn: SourceTurn, retains: Bool)>

    // Confined to the step that is under way: the turn hands it from one to the next.
    @exclusivity(unchecked) var state = State()

    /// How long the server waits for entries before it answers that there are none.
    private static let longestBlock = Duration.seconds(5)

    static let listLength = 100

    init(
        _ group: DeliveryGroup, _ start: GroupStart, _ emitter: Emitter<Delivery, RedisError>, _ pipeline: Pipeline
    ) {
        self.group = group
        marker = group.marker
        self.start = start
        self.emitter = emitter
        self.pipeline = pipeline
        holds = Holds(group)
        shared = Guarded((SourceTurn(readSize: pipeline.options.readSize), false))
    }

    func end() {
        let retains = shared.withLock { shared in
            shared.turn.end()
            return exchange(&shared.retains, with: false)
        }
        if retains { group.stream.redis.releasePipeline() }
    }

    func proceed() {
        // Demand is looked at under the lock: what a step that has ended meanwhile has delivered is not requested any more.
        if let count = shared.withLock({ $0.turn.begin(for: emitter.demand) }) { perform(next(count)) }
    }

    private func next(_ demand: Int) -> Step {
        if !state.listed.isEmpty {
            let some = Array(state.listed.prefix(demand))
            state.listed.removeFirst(some.count)
            return .claim(some, .now)
        }
        if state.looksAtOwn { return .list(idle: state.ownIdle, after: state.ownCursor) }
        let now = Instant.now
        var block: Duration? = Self.longestBlock
        if let time = group.takeOverAfter {
            if let cursor = state.othersCursor {
                if !state.readsBetween { return .look(from: cursor) }
                state.readsBetween = false
                block = nil
            } else if now >= state.nextLook {
                state.nextLook = now + time / 3
                return .look(from: "")
            } else {
                block = min(Self.longestBlock, max(.milliseconds(1), state.nextLook - now))
            }
        }
        state.hasRead = true
        return .read(demand, block: block, now)
    }

    private func perform(_ step: Step) {
        let (key, group, consumer) = (self.group.stream.key, self.group.group, self.group.consumer)
        switch step {
        case .create: makeRequest(["XGROUP", "CREATE", key, group, start.bytes, "MKSTREAM"], step)
        case .list(let idle, let after):
            list(
                ["XPENDING", key, group] + (idle == .zero ? [] : ["IDLE", Bytes("\(idle.wholeMilliseconds)")])
                    + [after.map { Bytes("(\($0)") } ?? "-", "+", Bytes("\(Self.listLength)"), consumer], step)
        case .look(let cursor):
            let idle = self.group.idleTime
            let times = [idle, idle / 3, idle * 10].map { Bytes("\($0.wholeMilliseconds)") }
            makeRequest(
                Script.looking.run([key, marker], [group, consumer, times[0], cursor, times[1], times[2]]), step)
        case .claim(let pending, _):
            var keys = [key]
            var limit = 0
            if case .atMost(let count, let rest) = self.group.limit {
                limit = count
                keys.append(rest.key)
            }
            let idle = pending.map(\.idle).max() ?? .zero
            makeRequest(
                Script.claiming.run(
                    keys,
                    [group, consumer, Bytes("\(idle.wholeMilliseconds)"), Bytes("\(limit)")]
                        + pending.flatMap { [$0.id.bytes, $0.owner, Bytes("\($0.handedOn ?? -1)")] }),
                step)
        case .read(let count, let block, _):
            makeRequest(
                ["XREADGROUP", "GROUP", group, consumer, "COUNT", Bytes("\(count)")]
                    + (block.map { ["BLOCK", Bytes("\($0.wholeMilliseconds)")] } ?? []) + ["STREAMS", key, ">"],
                step, blocks: block ?? .zero)
        }
    }

    /// Lists what is pending for this consumer: at first over the connection that acknowledgements and renewals need.
    ///
    /// A server that has no place for it would otherwise let this read what can't be acknowledged.
    private func list(_ arguments: [Bytes], _ step: Step) {
        let isFirst = shared.withLock { shared in
            // What has been cancelled since the step began has released nothing, and would release nothing later.
            if shared.retains || shared.turn.isOver { return false }
            shared.retains = true
            return true
        }
        if !isFirst { return makeRequest(arguments, step) }
        group.stream.redis.retainPipeline()
        let receiver = ReplyClosure { [weak self] reply in self?.take(reply, to: step) }
        group.stream.redis.send(.command(arguments), .repeated, to: receiver)
    }

    /// Creates the group where it is to begin, because it does not exist yet.
    func create() { perform(.create) }
}

extension DeliverySource.Pending {
    /// Reads a row of the list, or what a look has found: identifier, consumer, in a list the idle time, count.
    init?(_ row: RedisValue, idle: Duration = .zero) {
        guard let parts = row.elements, parts.count > 2, let id = parts[0].bytes.flatMap({ EntryID($0) }),
            let owner = parts[1].bytes, let count = parts.last?.integer
        else { return nil }
        self.init(id: id, owner: owner, count: Int(count), idle: idle)
    }
}

extension Duration {
    /// The milliseconds, rounded up.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(min(seconds, 1 << 40)) * 1_000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
