import NIOCore
import Synchronization

// In the place of SwiftNIO: servers to which this process connects.

public struct MultiThreadedEventLoopGroup: Sendable {
    public static var singletonMultiThreadedEventLoopGroup: Self { Self() }
}

public struct ServerBootstrap: Sendable {
    public init(group: MultiThreadedEventLoopGroup) {}

    public func bind<Output: Sendable>(
        host: String, port: Int,
        childChannelInitializer: @escaping @Sendable (Channel) -> EventLoopFuture<Output>
    ) async throws -> NIOAsyncChannel<Output, Never> {
        let clients = MemoryPipe<Output>()
        Network.servers.withLock { servers in
            servers[port] = { channel in try await clients.write(childChannelInitializer(channel).result.get()) }
        }
        return try NIOAsyncChannel(wrappingChannelSynchronously: Channel(clients, MemoryPipe<Never>()))
    }
}

public enum Network {
    static let servers = Mutex<[Int: @Sendable (Channel) async throws -> Void]>([:])

    /// What a client writes to a server of this process, and what it reads; `nil` if nothing is bound to the port.
    public static func connect(port: Int) async throws -> (
        output: MemoryPipe<ByteBuffer>, input: MemoryPipe<ByteBuffer>
    )? {
        guard let server = servers.withLock({ $0[port] }) else { return nil }
        let (output, input) = (MemoryPipe<ByteBuffer>(), MemoryPipe<ByteBuffer>())
        try await server(Channel(output, input))
        return (output, input)
    }
}
