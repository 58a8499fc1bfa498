import Synchronization

// In the place of SwiftNIO, with the names and the form of what the page ServerLibraries.md uses of it: channels in memory.

/// Some bytes.
public struct ByteBuffer: Sendable {
    public var readableBytesView: [UInt8]

    public init(string: String) { readableBytesView = Array(string.utf8) }
}

/// Values between two tasks, of which the sender waits while one is unread.
public final class MemoryPipe<Value: Sendable>: AsyncSequence, AsyncIteratorProtocol, Sendable {
    public typealias Failure = any Error

    private struct State {
        var value: Value?
        var isClosed = false
    }

    private let state = Mutex(State())

    public init() {}

    public func makeAsyncIterator() -> MemoryPipe { self }

    public func next() async throws -> Value? {
        while true {
            let (value, isOver) = state.withLock { state -> (Value?, Bool) in
                defer { state.value = nil }
                return (state.value, state.isClosed)
            }
            if let value { return value }
            if isOver { return nil }
            try await Task.sleep(for: .microseconds(50))
        }
    }

    public func write(_ value: Value) async throws {
        while true {
            let (isWritten, isClosed) = state.withLock { state -> (Bool, Bool) in
                if state.isClosed || state.value != nil { return (false, state.isClosed) }
                state.value = value
                return (true, false)
            }
            if isWritten { return }
            if isClosed { throw Closed() }
            try await Task.sleep(for: .microseconds(50))
        }
    }

    public func close() { state.withLock { $0.isClosed = true } }

    public struct Closed: Error {}
}

public typealias NIOAsyncChannelInboundStream = MemoryPipe
public typealias NIOAsyncChannelOutboundWriter = MemoryPipe

/// The two directions of a connection, or of a server, which writes nothing.
public struct NIOAsyncChannel<Inbound: Sendable, Outbound: Sendable>: Sendable {
    private let channel: Channel
    private let inbound: MemoryPipe<Inbound>
    private let outbound: MemoryPipe<Outbound>

    public init(wrappingChannelSynchronously channel: Channel) throws {
        guard let inbound = channel.inbound as? MemoryPipe<Inbound>,
            let outbound = channel.outbound as? MemoryPipe<Outbound>
        else {
            throw MemoryPipe<Inbound>.Closed()
        }
        (self.channel, self.inbound, self.outbound) = (channel, inbound, outbound)
    }

    public func executeThenClose<Result>(
        _ body: (
            _ inbound: NIOAsyncChannelInboundStream<Inbound>, _ outbound: NIOAsyncChannelOutboundWriter<Outbound>
        ) async throws -> Result
    ) async throws -> Result {
        defer {
            inbound.close()
            outbound.close()
        }
        return try await body(inbound, outbound)
    }
}

extension NIOAsyncChannel where Outbound == Never {
    public func executeThenClose<Result>(
        _ body: (_ inbound: NIOAsyncChannelInboundStream<Inbound>) async throws -> Result
    ) async throws -> Result {
        defer { inbound.close() }
        return try await body(inbound)
    }
}

public final class Channel: Sendable {
    let inbound: any Sendable
    let outbound: any Sendable

    public init<Inbound: Sendable, Outbound: Sendable>(_ inbound: MemoryPipe<Inbound>, _ outbound: MemoryPipe<Outbound>)
    {
        (self.inbound, self.outbound) = (inbound, outbound)
    }

    public var eventLoop: EventLoop { EventLoop() }
}

public struct EventLoop: Sendable {
    public func makeCompletedFuture<Value: Sendable>(
        withResultOf body: @Sendable () throws -> Value
    ) -> EventLoopFuture<Value> {
        EventLoopFuture(result: Result { try body() })
    }
}

public struct EventLoopFuture<Value: Sendable>: Sendable {
    public let result: Result<Value, any Error>
}
