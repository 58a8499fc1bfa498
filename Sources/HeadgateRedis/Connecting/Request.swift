/// What became of a request.
enum Outcome<Value> {
    case value(Value)
    /// Final: the server refused it, or it can't be reached.
    case failure(RedisError)
    /// The connection was lost, and it is unknown whether the server has executed the command.
    case lost(RedisError)
}

/// What became of a request whose reply has been read.
typealias Reply = Outcome<RedisValue>

/// Receives the replies to its requests.
///
/// On one connection, they come in order. The last reply of a connection that is lost may be taken while another thread
/// takes the first one of the next, so each names its request.
protocol ReplyReceiver: AnyObject, Sendable {
    func take(_ reply: Outcome<RESPReply>, to number: Int)

    /// Called when no further reply has arrived with those it has taken.
    func settle()
}

extension ReplyReceiver {
    func settle() {}
}

/// Receives one reply in a closure.
final class ReplyClosure: ReplyReceiver {
    private let body: @Sendable (Outcome<RESPReply>) -> Void

    init(_ body: @escaping @Sendable (Outcome<RESPReply>) -> Void) { self.body = body }

    /// Receives what a reply contains.
    static func reading(_ body: @escaping @Sendable (Reply) -> Void) -> ReplyClosure {
        ReplyClosure { reply in
            switch reply {
            case .value(let reply): body(.value(reply.value))
            case .failure(let error): body(.failure(error))
            case .lost(let error): body(.lost(error))
            }
        }
    }

    func take(_ reply: Outcome<RESPReply>, to number: Int) { body(reply) }
}

/// A command on its way.
struct Request {
    /// The command in the protocol of the server.
    let bytes: Bytes

    /// Whether it is sent again, in its place, when the connection is lost before its reply.
    var resends = false

    /// How long the server may wait before it replies.
    var blocks = Duration.zero

    let receiver: any ReplyReceiver

    /// Which of the receiver's requests it is.
    var number = 0

    /// The first word, for messages.
    var name: String {
        var reader = RESPReader(bytes)
        _ = reader.elements()
        return reader.string()?.excerpt() ?? ""
    }

    func take(_ reply: Outcome<RESPReply>) { receiver.take(reply, to: number) }
}
