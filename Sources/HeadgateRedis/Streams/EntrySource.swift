import HeadgateCore

/// Reads the entries of a stream for one subscriber: one command at a time, against its demand.
// Threads share only what a lock guards. Replies come one after the other, so deliveries do, too.
final class EntrySource: StreamSource, @unchecked Sendable {
    enum Step: Sendable {
        case follow(Int)
        case range(Int)
        /// Finds out where the end is, and whether the stream is the one that has been read.
        case check
    }

    private struct State {
        var turn: SourceTurn
        /// The last entry that has been read; `nil` while the end is not known.
        var last: EntryID?
        /// Whether that entry was read here, and the stream so has come that far.
        var hasRead = false
        var checks = false
        /// How many entries the stream ever had, where the server knows.
        var added: Int64?
    }

    private let stream: RedisStream
    private let start: EntryStart
    let emitter: Emitter<Entry, RedisError>
    let pipeline: Pipeline
    private let state: Guarded<State>

    private static let block = Duration.seconds(5)

    init(
        _ stream: RedisStream, _ start: EntryStart, _ emitter: Emitter<Entry, RedisError>, _ pipeline: Pipeline
    ) {
        self.stream = stream
        self.start = start
        self.emitter = emitter
        self.pipeline = pipeline
        let last: EntryID? =
            switch start {
            case .beginning: EntryID(0, 0)
            case .end, .between: nil
            case .after(let id): id
            }
        state = Guarded(State(turn: SourceTurn(readSize: pipeline.options.readSize), last: last))
    }

    func end() { state.withLock { $0.turn.end() } }

    func proceed() {
        let next: (step: Step, last: EntryID?)? = state.withLock { state in
            // Looked at here: what a step that has ended meanwhile has delivered is not requested any more.
            guard let count = state.turn.begin(for: emitter.demand) else { return nil }
            if case .between = start { return (.range(count), state.last) }
            if state.checks || state.last == nil {
                state.checks = false
                return (.check, nil)
            }
            return (.follow(count), state.last)
        }
        guard let next else { return }
        switch next.step {
        case .check: makeRequest(Script.progressing.run([stream.key], []), next.step)
        case .follow(let count):
            makeRequest(
                [
                    "XREAD", "COUNT", Bytes("\(count)"), "BLOCK", Bytes("\(Self.block.wholeMilliseconds)"), "STREAMS",
                    stream.key, (next.last ?? EntryID(0, 0)).bytes,
                ], next.step, blocks: Self.block)
        case .range(let count):
            guard case .between(let first, let end) = start else { return }
            let begin = next.last.map { Bytes("(\($0)") } ?? first.bytes
            makeRequest(["XRANGE", stream.key, begin, end.bytes, "COUNT", Bytes("\(count)")], next.step)
        }
    }

    func take(_ reply: Outcome, to step: Step) {
        switch reply {
        case .value(let reply):
            guard case .check = step, let facts = reply.value.elements,
                let last = facts.first?.bytes.flatMap({ EntryID($0) })
            else { return fail(unexpected("\(reply.value) to \(step)", "XREAD")) }
            check(last, facts.count > 1 ? facts[1].integer : nil)
        case .lost: state.withLock { $0.checks = true }
        case .failure(let error):
            if !error.isUnblocked { return fail(error) }
            state.withLock { $0.checks = true }
        }
        goOn()
    }

    private func goOn() {
        state.withLock { $0.turn.finish() }
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
            state.withLock { state in
                state.last = id
                state.hasRead = true
            }
            if let fields { emitter.keep(Entry(id: id, fields: fields)) }
        }
        return true
    }

    func finish(_ step: Step, _ count: Int, _ size: Int) {
        if case .range(let most) = step, count < most {
            stop()
            return emitter.finish()
        }
        state.withLock { state in
            if count == 0 { state.checks = true }
            state.turn.learn(count, size)
        }
        goOn()
    }

    /// Begins where the stream has come to, or compares that with what has been read of it.
    private func check(_ last: EntryID, _ added: Int64?) {
        let isReplaced = state.withLock { state in
            defer { state.added = added }
            state.last = state.last ?? last
            guard state.hasRead, let read = state.last else { return false }
            if last < read {
                // All of the new one is new.
                state.last = EntryID(0, 0)
                state.hasRead = false
                return true
            }
            if let before = state.added, let added { return added < before }
            return false
        }
        if isReplaced { stream.redis.notify(.streamReplaced(stream.key)) }
    }
}
