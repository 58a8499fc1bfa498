/// The bytes received on a connection: one `recv` per chunk requested.
final class SocketSource: PolledSource {
    let descriptor: Descriptor
    private let connection: Connection
    private let chunkSize: Int
    private var hasEnded = false

    /// Takes the reading direction of a connection, until it is released.
    init(_ connection: Connection, chunkSize: Int) throws(SystemError) {
        descriptor = try connection.begin(.reading)
        self.connection = connection
        self.chunkSize = capacity(ofChunk: chunkSize)
    }

    deinit { connection.end(.reading, isOver: hasEnded) }

    func poll() throws(SystemError) -> Poll<Bytes> {
        do throws(SystemError) {
            guard let chunk = try connection.calls.receive(descriptor, upTo: chunkSize) else { return .pending }
            if !chunk.isEmpty {
                // A small message that is kept should not keep the memory of a whole chunk.
                let bytes = chunk.count < chunkSize / 4 ? chunk.copied() : chunk
                if connection.isEnding, connection.failure == nil, try connection.hasNothingLeft(descriptor) {
                    hasEnded = true
                    return .last(bytes)
                }
                return .value(bytes)
            }
            hasEnded = true
            // The kernel reports a failure once, and a normal end from then on.
            if let failure = connection.failure { throw connection.error("recv", failure) }
            return .finished
        } catch {
            hasEnded = true
            throw connection.outcome(of: error, in: "recv")
        }
    }

    func watchEnd(_ onEnd: @escaping @Sendable (Subscribers.Completion<SystemError>) -> Void) {
        connection.watchEnd(onEnd)
    }
}
