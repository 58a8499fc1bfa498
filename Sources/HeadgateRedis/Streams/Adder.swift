import HeadgateCore
import HeadgateEngine

/// Sends the entries of one stream of `add`, and receives their confirmations.
// The closures are called one at a time, as upstream delivers or the server replies.
final class Adder<Failure: Error>: ReplyReceiver, @unchecked Sendable {
    private let stream: RedisStream
    private let id: StreamClosure<EntryFields, EntryID>?
    private let beginning: [Bytes]
    private let conduit: ExchangeConduit<EntryFields, EntryID, Failure>
    private let failure: StreamClosure<RedisError, Failure>

    /// The identifiers that the caller has chosen, of unconfirmed entries, by their numbers.
    private let chosen = Guarded<[Int: EntryID]>([:])

    init(
        _ stream: RedisStream, _ trimming: StreamTrimming, _ id: StreamClosure<EntryFields, EntryID>?,
        _ conduit: ExchangeConduit<EntryFields, EntryID, Failure>,
        _ failure: @escaping StreamClosure<RedisError, Failure>
    ) {
        self.stream = stream
        self.id = id
        beginning = ["XADD", stream.key] + trimming.arguments
        self.conduit = conduit
        self.failure = failure
    }

    func add(_ fields: EntryFields, number: Int) {
        var arguments = beginning
        arguments.reserveCapacity(beginning.count + 1 + fields.values.count)
        if let id {
            let chosen = id(fields)
            self.chosen.withLock { $0[number] = chosen }
            arguments.append(chosen.bytes)
        } else {
            arguments.append("*")
        }
        for value in fields.values { arguments.append(value.bytes ?? Bytes()) }
        if let problem = stream.redis.problem(with: arguments) { return conduit.fail(failure(problem)) }
        switch stream.redis.pipeline {
        case .success(let pipeline):
            pipeline.send(
                Request(bytes: .command(arguments), name: "XADD", resends: true, receiver: self, number: number))
        case .failure(let error): conduit.fail(failure(error.naming("XADD")))
        }
    }

    func take(_ reply: Reply, to number: Int) {
        let chosen = id == nil ? nil : chosen.withLock { $0.removeValue(forKey: number) }
        switch reply {
        case .value(let value):
            if let id = value.bytes.flatMap({ EntryID($0) }) { return conduit.answer(id, to: number) }
            fail(.unexpected("\(value)"))
        case .failure(let error):
            if let chosen, case .server(let words) = error.reason, words.contains("equal or smaller") {
                confirm(chosen, number, error)
            } else {
                conduit.fail(failure(error))
            }
        case .lost(let error): conduit.fail(failure(error))
        }
    }

    /// Looks whether the identifier that the server has refused is that of an entry which is there already.
    private func confirm(_ id: EntryID, _ number: Int, _ refusal: RedisError) {
        stream.redis.send(["XRANGE", stream.key, id.bytes, id.bytes], resends: true) { [self] reply in
            switch reply {
            case .value(let value):
                if value.elements?.isEmpty == false {
                    conduit.answer(id, to: number)
                } else {
                    conduit.fail(failure(refusal))
                }
            case .failure(let error), .lost(let error): conduit.fail(failure(error))
            }
        }
    }

    private func fail(_ reason: RedisError.Reason) {
        conduit.fail(failure(RedisError(reason, command: "XADD", address: stream.redis.description)))
    }
}
