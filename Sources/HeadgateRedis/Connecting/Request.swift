/// What became of a request.
enum Outcome {
    case value(RESPReply)
    /// Final: the server refused it, or it can't be reached.
    case failure(RedisError)
    /// The connection was lost, and it is unknown whether the server has executed the command.
    case lost(RedisError)
}

/// What a reply contains, for who need not know whether the server may have executed the command without one.
typealias Reply = Result<RedisValue, RedisError>

/// Receives the replies to its requests.
///
/// On one connection, they come in order. The last reply of a connection that is lost may be taken while another thread
/// takes the first one of the next, so each names its request.
protocol ReplyReceiver: AnyObject, Sendable {
    func take(_ reply: Outcome, to number: Int)

    /// Called when the reply to the first request that has none has arrived in part, on the connection's queue; another
    /// thread may report at the same time that the connection is lost.
    func takePart(of parser: inout RESPParser)

    /// Called when no further reply has arrived with those it has taken.
    func settle()

    /// Called when the connection of a request that is sent again has been lost before its reply.
    func willRepeat(_ number: Int)
}

extension ReplyReceiver {
    func takePart(of parser: inout RESPParser) {}

    func settle() {}

    func willRepeat(_ number: Int) {}
}

/// Receives one reply in a closure.
final class ReplyClosure: ReplyReceiver {
    private let body: @Sendable (Outcome) -> Void

    init(_ body: @escaping @Sendable (Outcome) -> Void) { self.body = body }

    /// Receives what a reply contains.
    static func reading(_ body: @escaping @Sendable (Reply) -> Void) -> ReplyClosure {
        ReplyClosure { reply in
            switch reply {
            case .value(let reply): body(.success(reply.value))
            case .failure(let error), .lost(let error): body(.failure(error))
            }
        }
    }

    func take(_ reply: Outcome, to number: Int) { body(reply) }
}

/// A command on its way.
struct Request {
    /// The command in the protocol of the server.
    let bytes: Bytes

    /// What becomes of a request when its connection is lost before its reply.
    enum Kind {
        /// The user's: it may have been executed, and is not sent again. It waits for a server less long than a stream.
        case command
        /// A part of a transaction: as a command, and never sent again without the others.
        case part
        /// A step of a source, which decides what to do.
        case step
        /// It is sent again.
        case repeated
        /// It is sent again, and before any that was sent after it.
        case ordered
    }

    var kind: Kind

    /// On a cluster, the slot of its keys, and how often a node has not executed it.
    var slot = HashSlot.any
    var attempts: UInt16 = 0

    /// How long the server may wait before it replies; `nil` for as long as it wants.
    var blocks: Duration? = .zero

    let receiver: any ReplyReceiver

    /// Which of the receiver's requests it is.
    var number = 0

    /// The first word, for messages.
    var name: String {
        var reader = RESPReader(bytes)
        _ = reader.elements()
        return reader.string()?.excerpt() ?? ""
    }

    /// Whether it is sent again when its connection is lost.
    var isRepeated: Bool { kind == .repeated || kind == .ordered }

    /// Whether somebody waits for this one reply.
    var isOfUser: Bool { kind == .command || kind == .part }

    func take(_ reply: Outcome) { receiver.take(reply, to: number) }
}
