import HeadgateCore
import HeadgateEngine

/// Sends the entries of one stream of `add`, and receives their confirmations.
///
/// Not generic, so that an entry takes no metadata look-up: its closures lead to a conduit whose types the caller
/// knows.
// The closures are called one at a time, as upstream delivers or the server replies.
@usableFromInline final class Adder: ReplyReceiver, @unchecked Sendable {
    private let stream: RedisStream
    private let id: (@Sendable (EntryFields) -> EntryID)?

    /// The arguments before the identifier, in the protocol of the server, and how many.
    private let beginning: Bytes
    private let beginningCount: Int
    private let pipeline: Pipeline?
    /// Why there is none.
    private let problem: RedisError?

    // Upstream delivers one value at a time, so nothing else has access to it meanwhile.
    @exclusivity(unchecked) private var arena = BytesArena()
    private let keep: (EntryID, Int) -> Void
    private let serve: () -> Void
    private let fail: (RedisError) -> Void

    /// An identifier that the caller has chosen.
    private struct Chosen {
        let id: EntryID
        /// Whether the entry was sent over a connection that was lost before the reply.
        var isRepeated = false
    }

    /// Those of unconfirmed entries, by their numbers.
    private let chosen = Guarded<[Int: Chosen]>([:])

    /// - Parameters:
    ///   - keep: Confirms an entry by its number.
    ///   - serve: Publishes what has been confirmed.
    ///   - fail: Ends the stream.
    @usableFromInline init(
        _ stream: RedisStream, _ trimming: StreamTrimming, _ id: (@Sendable (EntryFields) -> EntryID)?,
        keep: @escaping (EntryID, Int) -> Void, serve: @escaping () -> Void, fail: @escaping (RedisError) -> Void
    ) {
        self.stream = stream
        self.id = id
        let arguments = ["XADD", stream.key] + trimming.arguments + (id == nil ? ["*"] : [])
        beginning = EntryFields(strings: arguments).encoded
        beginningCount = arguments.count
        switch stream.redis.pipeline {
        case .success(let pipeline): (self.pipeline, problem) = (pipeline, nil)
        case .failure(let error): (pipeline, problem) = (nil, error.naming("XADD"))
        }
        self.keep = keep
        self.serve = serve
        self.fail = fail
    }

    @usableFromInline func add(_ fields: EntryFields, number: Int) {
        let chosen = id?(fields)
        if let chosen { self.chosen.withLock { $0[number] = Chosen(id: chosen) } }
        guard let pipeline else { return problem.map(fail) ?? () }
        if let problem = self.problem(with: fields) { return fail(problem) }
        let room = CommandWriter.roomForNumber + beginning.count + CommandWriter.roomForID + fields.encoded.count
        let command = arena.make(room) { memory in
            var writer = CommandWriter(memory)
            writer.put(UInt8(ascii: "*"), beginningCount + (chosen == nil ? 0 : 1) + 2 * fields.count)
            writer.putPart(beginning)
            if let chosen { writer.put(chosen) }
            writer.putPart(fields.encoded)
            return writer.count
        }
        pipeline.send(Request(bytes: command, kind: .ordered, receiver: self, number: number))
    }

    /// What keeps a server from accepting an entry.
    private func problem(with fields: EntryFields) -> RedisError? {
        // Nearly always shorter than one argument may be.
        if max(fields.encoded.count, stream.key.count) <= Redis.longestArgument { return nil }
        return stream.redis.problem(with: ["XADD", stream.key] + fields.pairs.flatMap { [$0.name, $0.value] })
    }

    func take(_ reply: Outcome<RESPReply>, to number: Int) {
        let chosen = id == nil ? nil : chosen.withLock { $0.removeValue(forKey: number) }
        switch reply {
        case .value(let reply):
            var reader = RESPReader(reply)
            if let id = reader.id() { return keep(id, number) }
            fail(RedisError(.unexpected("\(reply.value)"), command: "XADD", address: stream.redis.description))
        case .failure(let error):
            if let chosen, case .server(let words) = error.reason, words.contains("equal or smaller") {
                confirm(chosen, number, error)
            } else {
                fail(error)
            }
        case .lost(let error): fail(error)
        }
    }

    func settle() { serve() }

    func willRepeat(_ number: Int) {
        if id != nil { chosen.withLock { $0[number]?.isRepeated = true } }
    }

    /// Looks whether the identifier that the server has refused is that of an entry which is there already.
    ///
    /// One that may have been added over a lost connection may also have been trimmed meanwhile: nothing is left then of
    /// what was up to it.
    private func confirm(_ chosen: Chosen, _ number: Int, _ refusal: RedisError) {
        let id = chosen.id
        let first = chosen.isRepeated ? "-" : id.bytes
        stream.redis.send(["XREVRANGE", stream.key, id.bytes, first, "COUNT", "1"], .repeated) { [self] reply in
            switch reply {
            case .value(let value):
                let found = value.elements?.first?.elements?.first?.bytes.flatMap { EntryID($0) }
                if found == id || found == nil && chosen.isRepeated {
                    keep(id, number)
                    serve()
                } else {
                    fail(refusal)
                }
            case .failure(let error), .lost(let error): fail(error)
            }
        }
    }
}
