/// What became of a request.
enum Reply {
    case value(RedisValue)
    /// Final: the server refused it, or it can't be reached.
    case failure(RedisError)
    /// The connection was lost, and nobody knows whether the server has executed the command.
    case lost(RedisError)
}

/// Receives the replies to its requests.
///
/// On one connection, they come in order. The last reply of a connection that is lost may be taken while another thread
/// takes the first one of the next, so each names its request.
protocol ReplyReceiver: AnyObject, Sendable {
    func take(_ reply: Reply, to number: Int)
}

/// Receives one reply in a closure.
final class ReplyClosure: ReplyReceiver {
    private let body: @Sendable (Reply) -> Void

    init(_ body: @escaping @Sendable (Reply) -> Void) { self.body = body }

    func take(_ reply: Reply, to number: Int) { body(reply) }
}

/// A command on its way.
struct Request {
    /// The command in the protocol of the server.
    let bytes: Bytes

    /// The first word, for messages.
    let name: String

    /// Whether it is sent again, in its place, when the connection is lost before its reply.
    var resends = false

    /// How long the server may wait before it replies.
    var blocks = Duration.zero

    let receiver: any ReplyReceiver

    /// Which of the receiver's requests it is.
    var number = 0

    func take(_ reply: Reply) { receiver.take(reply, to: number) }
}

extension Bytes {
    /// A command in the protocol of the server.
    package static func command(_ arguments: [Bytes]) -> Bytes {
        // A length takes at most 20 digits.
        let capacity = arguments.reduce(24) { $0 + $1.count + 26 }
        return Bytes(capacity: capacity) { buffer in
            var place = 0
            func put(_ mark: UInt8, _ number: Int) {
                buffer[place] = mark
                place += 1
                var divisor = 1
                while number / divisor >= 10 { divisor *= 10 }
                while divisor > 0 {
                    buffer[place] = 0x30 + UInt8(number / divisor % 10)
                    place += 1
                    divisor /= 10
                }
                end()
            }
            func end() {
                buffer[place] = 0x0D
                buffer[place + 1] = 0x0A
                place += 2
            }
            put(UInt8(ascii: "*"), arguments.count)
            for argument in arguments {
                put(UInt8(ascii: "$"), argument.count)
                argument.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: buffer[place...]).copyMemory(from: $0)
                }
                place += argument.count
                end()
            }
            return place
        }
    }
}
