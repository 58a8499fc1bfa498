import Dispatch
import HeadgateSystem

/// Times that are none, and sizes in which nothing has room.
enum SocketMistakes {
    static func make(_ name: Substring) {
        switch name {
        case "stall of less than no time": _ = StallLimit(.seconds(-1))
        case "backlog of nobody": _ = Listener(port: 0, backlog: 0)
        case "backlog of fewer than nobody": _ = Listener(path: "socket", backlog: -5)
        case "sending without a buffer": _ = SocketOptions(sendBufferSize: 0)
        case "receiving without a buffer": _ = SocketOptions(receiveBufferSize: -1)
        case "keep-alive at once": _ = KeepAlive(idle: 0)
        case "keep-alive without a pause": _ = KeepAlive(interval: -2)
        case "keep-alive without a probe": _ = KeepAlive(probes: 0)
        case "received chunks of nothing": connected { _ = $0.bytes(chunkSize: 0) }
        case "received lines of nothing": connected { _ = $0.lines(maximumLength: 0) }
        case "received frames of nothing": connected { _ = $0.frames(lengthBytes: 4, maximumLength: -1) }
        case "writing without a buffer":
            connected { Empty<Bytes, SystemError>().write(to: $0, bufferSize: -1) { _ in } }
        default: print("no such mistake")
        }
    }

    /// Makes a mistake with a connection to this program itself.
    private static func connected(_ body: @escaping @Sendable (Connection) -> Void) {
        let listener = Listener(port: 0)
        guard let address = try? listener.bind() else { return print("no listener") }
        let hasEnded = DispatchSemaphore(value: 0)
        let connecting = Connection.connect(to: address).sink(
            receiveCompletion: { _ in hasEnded.signal() }, receiveValue: body)
        hasEnded.wait()
        connecting.cancel()
    }
}
