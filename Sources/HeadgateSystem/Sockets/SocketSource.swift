import HeadgateEngine

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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
        self.chunkSize = chunkSize
    }

    deinit { socket.end(.reading, isOver: hasEnded) }

    func poll() throws(SystemError) -> Poll<Bytes> {
        do throws(SystemError) {
            let chunk = try receive()
            guard let bytes = chunk else { return .pending }
            if !bytes.isEmpty { return .value(bytes) }
            hasEnded = true
            // After this side has reset the connection, the kernel reports a normal end.
            if socket.wasReset { throw socket.error("recv", ECONNRESET) }
            return .finished
        } catch {
            hasEnded = true
            throw socket.outcome(of: error, in: "recv")
        }
    }

    private func receive() throws(SystemError) -> Bytes? {
        var isReady = true
        let bytes = try Bytes(capacity: chunkSize) { buffer throws(SystemError) in
            guard let count = try socket.calls.receive(descriptor, into: buffer) else {
                isReady = false
                return 0
            }
            return count
        }
        if !isReady { return nil }
        // A small message that is kept should not keep the memory of a whole chunk.
        return bytes.count < chunkSize / 4 ? bytes.copied() : bytes
    }
}
