/// Reads the entries of a stream for one subscriber: one command at a time, against its demand.
// Threads share only what a lock guards. Replies come one after the other, so deliveries do, too.
final class EntrySource: StreamSource, @unchecked Sendable {
    enum Step: Sendable {
        case follow(Int)
        case range(Int)
        /// Finds out where the end is, and whether the stream is the one that has been read.
        case check
    }

    private let stream: RedisStream
    private let start: EntryStart
    let emitter: Emitter<Entry, RedisError>
    let pipeline: Pipeline
    private let turn: Guarded<SourceTurn>

    // Confined to the step that is under way: the turn hands them from one to the next.
    /// The last entry that has been read; `nil` while the end is not known.
    @exclusivity(unchecked) private var last: EntryID?
    /// Whether that entry was read here, and the stream so has come that far.
    @exclusivity(unchecked) private var hasRead = false
    @exclusivity(unchecked) private var checks = false
    /// How many entries the stream ever had, where the server knows.
    @exclusivity(unchecked) private var added: Int64?

    private static let block = Duration.seconds(5)

    init(
        _ stream: RedisStream, _ start: EntryStart, _ emitter: Emitter<Entry, RedisError>, _ pipeline: Pipeline
    ) {
        self.stream = stream
        self.start = start
        self.emitter = emitter
        self.pipeline = pipeline
        turn = Guarded(SourceTurn(readSize: pipeline.options.readSize))
        switch start {
        case .beginning: last = EntryID(0, 0)
        case .end, .between: last = nil
        case .after(let id): last = id
        }
    }

    func end() { turn.withLock { $0.end() } }

    func proceed() {
        // Demand is looked at under the lock: what a step that has ended meanwhile has delivered is not requested any more.
        guard let count = turn.withLock({ $0.begin(for: emitter.demand) }) else { return }
        if case .between(let first, let end) = start {
            let begin = last.map { Bytes("(\($0)") } ?? first.bytes
            makeRequest(["XRANGE", stream.key, begin, end.bytes, "COUNT", Bytes("\(count)")], .range(count))
        } else if let last, !checks {
            makeRequest(
                [
                    "XREAD", "COUNT", Bytes("\(count)"), "BLOCK", Bytes("\(Self.block.wholeMilliseconds)"), "STREAMS",
                    stream.key, last.bytes,
                ], .follow(count), blocks: Self.block)
        } else {
            checks = false
            makeRequest(Script.progressing.run([stream.key], []), .check)
        }
    }

    func take(_ reply: Outcome, to step: Step) {
        switch reply {
        case .value(let reply):
            guard case .check = step, let facts = reply.value.elements,
                let last = facts.first?.bytes.flatMap({ EntryID($0) })
            else { return fail(unexpected("\(reply.value) to \(step)", "XREAD")) }
            check(last, facts.count > 1 ? facts[1].integer : nil)
        case .lost: checks = true
        case .failure(let error):
            if !error.isUnblocked { return fail(error) }
            checks = true
        }
        goOn()
    }

    private func goOn() {
        turn.withLock { $0.finish() }
        proceed()
    }

    func elements(of step: Step) -> ReplyElements? {
        switch step {
        case .follow: .entriesOfStream
        case .range: .array
        case .check: nil
        }
    }

    func take(_ count: Int, _ reader: inout RESPReader, _ step: Step) -> Bool {
        defer { emitter.serve() }
        for _ in 0..<count {
            guard let (id, fields) = reader.entry() else { return false }
            last = id
            hasRead = true
            if let fields { emitter.keep(Entry(id: id, fields: fields)) }
        }
        return true
    }

    func finish(_ step: Step, _ count: Int, _ size: Int) {
        if case .range(let most) = step, count < most {
            stop()
            return emitter.finish()
        }
        if count == 0 { checks = true }
        turn.withLock { $0.learn(count, size) }
        goOn()
    }

    /// Begins where the stream has come to, or compares that with what has been read of it.
    private func check(_ end: EntryID, _ added: Int64?) {
        let before = exchange(&self.added, with: added)
        let read = last ?? end
        last = read
        if !hasRead { return }
        if end < read {
            // All of the new one is new.
            last = EntryID(0, 0)
            hasRead = false
        } else {
            guard let before, let added, added < before else { return }
        }
        stream.redis.notify(.streamReplaced(stream.key))
    }
}
