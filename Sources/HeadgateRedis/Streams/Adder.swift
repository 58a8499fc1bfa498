/// Sends the entries of one stream of `add`, and receives their confirmations.
///
/// Not generic, so that an entry takes no metadata look-up: its closures lead to a conduit whose types the caller
/// knows.
// The closures are called one at a time, as upstream delivers or the server replies.
@usableFromInline final class Adder: ReplyReceiver, @unchecked Sendable {
    private let redis: Redis
    /// The number of streams among which each entry chooses.
    private let places: Int
    private let key: (Int) -> Bytes
    private let trimming: [Bytes]
    private let choosesIDs: Bool

    /// The arguments before the identifier for each stream that is used, in the protocol of the server, and how many.
    @exclusivity(unchecked) private var beginnings: [Bytes?]
    private let beginningCount: Int
    private let pipeline: Pipeline?
    /// The slots of the streams, if there is no such connection.
    private let slots: [HashSlot]

    // Upstream delivers one value at a time, so nothing else has access to it meanwhile.
    @exclusivity(unchecked) private var arena = BytesArena()
    private let keep: (EntryID, Int, Int) -> Void
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
    ///   - places: The number of streams.
    ///   - key: The key of each.
    ///   - choosesIDs: Whether entries have identifiers of the caller's.
    ///   - keep: Confirms an entry by its stream and its number.
    ///   - serve: Publishes what has been confirmed.
    ///   - fail: Ends the stream.
    @usableFromInline init(
        _ redis: Redis, _ places: Int, _ key: @escaping (Int) -> Bytes, _ trimming: StreamTrimming, choosesIDs: Bool,
        keep: @escaping (EntryID, Int, Int) -> Void, serve: @escaping () -> Void, fail: @escaping (RedisError) -> Void
    ) {
        self.redis = redis
        self.places = places
        self.key = key
        self.trimming = trimming.arguments
        self.choosesIDs = choosesIDs
        beginnings = Array(repeating: nil, count: places)
        beginningCount = 2 + self.trimming.count + (choosesIDs ? 0 : 1)
        pipeline = redis.pipeline
        slots = pipeline == nil ? (0..<places).map { HashSlot(of: key($0)) } : []
        self.keep = keep
        self.serve = serve
        self.fail = fail
    }

    @usableFromInline func add(_ fields: EntryFields, to place: Int = 0, id: EntryID?, number: Int) {
        // The place is a part of the number by which the reply is known.
        let number = number * places + place
        if let id { self.chosen.withLock { $0[number] = Chosen(id: id) } }
        let beginning = beginning(for: place)
        if let problem = problem(with: fields, after: beginning, place) { return fail(problem) }
        let room = CommandWriter.roomForNumber + beginning.count + CommandWriter.roomForID + fields.encoded.count
        let command = arena.make(room) { memory in
            var writer = CommandWriter(memory)
            writer.put(UInt8(ascii: "*"), beginningCount + (id == nil ? 0 : 1) + 2 * fields.count)
            writer.putPart(beginning)
            if let id { writer.put(id) }
            writer.putPart(fields.encoded)
            return writer.count
        }
        let request = Request(bytes: command, kind: .ordered, receiver: self, number: number)
        if let pipeline { pipeline.send(request) } else { redis.send([request], to: slots[place]) }
    }

    private func beginning(for place: Int) -> Bytes {
        if let beginning = beginnings[place] { return beginning }
        let arguments = ["XADD", key(place)] + trimming + (choosesIDs ? [] : ["*"])
        let beginning = EntryFields(strings: arguments).encoded
        beginnings[place] = beginning
        return beginning
    }

    /// What keeps a server from accepting an entry.
    @inline(__always) private func problem(
        with fields: EntryFields, after beginning: Bytes, _ place: Int
    ) -> RedisError? {
        // Nearly always shorter than one argument may be.
        if max(fields.encoded.count, beginning.count) <= Redis.longestArgument { return nil }
        return redis.problem(with: ["XADD", key(place)] + fields.pairs.flatMap { [$0.name, $0.value] })
    }

    func take(_ reply: Outcome, to number: Int) {
        let chosen = choosesIDs ? chosen.withLock { $0.removeValue(forKey: number) } : nil
        switch reply {
        case .value(let reply):
            var reader = RESPReader(reply)
            if let id = reader.id() { return keep(id, number % places, number / places) }
            fail(redis.error(.unexpected("\(reply.value)"), "XADD"))
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
        if choosesIDs { chosen.withLock { $0[number]?.isRepeated = true } }
    }

    /// Looks whether the identifier that the server has refused is that of an entry which is there already.
    ///
    /// One that may have been added over a lost connection may also have been trimmed meanwhile: nothing is left then of
    /// what was up to it.
    private func confirm(_ chosen: Chosen, _ number: Int, _ refusal: RedisError) {
        let id = chosen.id
        let first = chosen.isRepeated ? "-" : id.bytes
        redis.send(["XREVRANGE", key(number % places), id.bytes, first, "COUNT", "1"], .repeated) { [self] reply in
            switch reply {
            case .success(let value):
                let found = value.elements?.first?.elements?.first?.bytes.flatMap { EntryID($0) }
                if found == id || found == nil && chosen.isRepeated {
                    keep(id, number % places, number / places)
                    serve()
                } else {
                    fail(refusal)
                }
            case .failure(let error): fail(error)
            }
        }
    }
}
