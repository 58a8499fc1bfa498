import HeadgateEngine
import HeadgateLibC

/// The bytes received on a connection: one `recv` per chunk requested.
final class SocketSource: PolledSource {
    let descriptor: Descriptor
    private let socket: Socket
    private let chunkSize: Int
    private var hasEnded = false

    /// Takes the reading direction of a connection, until it is released.
    init(_ socket: Socket, chunkSize: Int) throws(SystemError) {
        descriptor = try socket.begin(.reading)
        self.socket = socket
        self.chunkSize = capacity(ofChunk: chunkSize)
    }

    deinit { socket.end(.reading, isOver: hasEnded) }

    func poll() throws(SystemError) -> Poll<Bytes> {
        do throws(SystemError) {
            guard let chunk = try socket.calls.receive(descriptor, upTo: chunkSize) else { return .pending }
            if !chunk.isEmpty {
                // A small message that is kept should not keep the memory of a whole chunk.
                let bytes = chunk.count < chunkSize / 4 ? chunk.copied() : chunk
                if socket.isEnding, socket.failure == nil, try socket.hasNothingLeft(descriptor) {
                    hasEnded = true
                    return .last(bytes)
                }
                return .value(bytes)
            }
            hasEnded = true
            // The kernel reports a failure once, and a normal end from then on.
            if let failure = socket.failure { throw socket.error("recv", failure) }
            return .finished
        } catch {
            hasEnded = true
            throw socket.outcome(of: error, in: "recv")
        }
    }

    func watchEnd(_ onEnd: @escaping @Sendable (Subscribers.Completion<SystemError>) -> Void) {
        socket.watchEnd(onEnd)
    }
}
