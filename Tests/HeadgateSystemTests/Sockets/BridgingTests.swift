import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

// What stands in `Documentation/System.md` about SwiftNIO, against a stand-in of the same shape.

/// In the place of SwiftNIO's buffer.
struct ByteBuffer: Sendable, Equatable {
    var readableBytesView: [UInt8]

    init(string: String) { readableBytesView = Array(string.utf8) }
}

/// In the place of `NIOAsyncChannel`: an inbound sequence that reads when it is iterated, and an outbound writer that
/// suspends while there is no room.
struct StandInChannel: Sendable {
    let inbound: StandInInbound
    let outbound: StandInOutbound
}

/// In the place of `NIOAsyncChannelInboundStream`.
final class StandInInbound: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Element = ByteBuffer

    private let rest: Guarded<[String]>
    private let count = Guarded(0)

    init(_ texts: [String]) { rest = Guarded(texts.reversed()) }

    /// How many buffers have been read.
    var readCount: Int { count.withLock { $0 } }

    func makeAsyncIterator() -> StandInInbound { self }

    func next() async throws -> ByteBuffer? {
        await Task.yield()
        guard let text = rest.withLock({ $0.popLast() }) else { return nil }
        count.withLock { $0 += 1 }
        return ByteBuffer(string: text)
    }
}

/// In the place of `NIOAsyncChannelOutboundWriter`.
final class StandInOutbound: Sendable {
    private let texts = Guarded<[String]>([])

    var written: [String] { texts.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws {
        await Task.yield()
        texts.withLock { $0.append(String(decoding: buffer.readableBytesView, as: UTF8.self)) }
    }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Publishes what the sequence reads: one element for each that is requested, and one ahead.
    func publisher<Output: Sendable>(
        _ transform: @escaping @Sendable (Element) -> Output
    ) -> AnyPublisher<Output, SystemError> {
        Deferred {
            let reader = Reader(self.makeAsyncIterator())
            // A future for each element: the next one begins when the last one has been delivered.
            return Always(())
                .setFailureType(to: SystemError.self)
                .flatMap(maxPublishers: .max(1)) { _ in
                    Deferred {
                        Future<Element?, SystemError> { promise in
                            let promise = Promise(promise)
                            Task { promise.keep(await reader.next()) }
                        }
                    }
                }
                .prefix { $0 != nil }
                .compactMap { $0.map(transform) }
        }
        .eraseToAnyPublisher()
    }
}

/// One element at a time of an iterator; the pipeline requests the next when the previous one has arrived.
private final class Reader<Iterator: AsyncIteratorProtocol>: @unchecked Sendable {
    private var iterator: Iterator

    init(_ iterator: Iterator) { self.iterator = iterator }

    func next() async -> Result<Iterator.Element?, SystemError> {
        do { return .success(try await iterator.next()) } catch {
            return .failure(error as? SystemError ?? SystemError(call: "read", code: 5, subject: "\(error)"))
        }
    }
}

/// A promise that a task may keep.
private struct Promise<Output>: @unchecked Sendable {
    let keep: (Result<Output, SystemError>) -> Void

    init(_ keep: @escaping (Result<Output, SystemError>) -> Void) { self.keep = keep }
}

final class BridgingTests: XCTestCase {
    func test_whatAChannelReadsIsPublishedAndWrittenBackWithBackpressure() async throws {
        let inbound = StandInInbound(["one\ntw", "o\nthree", "\n"])
        let channel = StandInChannel(inbound: inbound, outbound: StandInOutbound())
        // The lines of `Documentation/System.md`.
        // In: the channel is read one buffer ahead of demand.
        let lines = channel.inbound.publisher { Bytes($0.readableBytesView) }
            .lines()

        // Out: the next value is requested when the channel has taken the previous one.
        for try await line in lines.values(buffering: .onDemand) {
            try await channel.outbound.write(ByteBuffer(string: line + "\n"))
        }
        XCTAssertEqual(channel.outbound.written, ["one\n", "two\n", "three\n"])
    }

    func test_aChannelIsReadOneBufferAheadAtMost() {
        let inbound = StandInInbound((0..<100).map { "line \($0)\n" })
        let subscriber = TestSubscriber<Bytes, SystemError>.checked()
        inbound.publisher { Bytes($0.readableBytesView) }.subscribe(subscriber)
        XCTAssertEqual(inbound.readCount, 0)
        subscriber.request(.max(3))
        eventually { subscriber.values.count == 3 }
        // By the room of one that `flatMap` keeps.
        XCTAssertLessThanOrEqual(inbound.readCount, 4)
        subscriber.cancel()
    }

    func test_aConnectionGoesThroughAChannelAndBack() async throws {
        let (server, client) = try connectionPair(.unix)
        let channel = StandInChannel(inbound: StandInInbound(["hello ", "there"]), outbound: StandInOutbound())
        let sent = await channel.inbound.publisher { Bytes($0.readableBytesView) }.write(to: client)
        XCTAssertEqual(sent, .finished(bytes: 11))
        for try await chunk in server.bytes().values(buffering: .onDemand) {
            try await channel.outbound.write(ByteBuffer(string: String(chunk)))
        }
        XCTAssertEqual(channel.outbound.written.joined(), "hello there")
    }
}
