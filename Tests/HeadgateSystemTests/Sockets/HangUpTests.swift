import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// The other side resets or closes a connection on which nobody waits for it.
final class HangUpTests: XCTestCase {
    func test_aWriterThatHasNothingToWriteNoticesThatTheOtherSideIsGone() throws {
        for kind in Kind.allCases {
            let server = try TestServer(kind)
            let client = PlainClient(server.address)
            eventually { server.subscriber.values.count == 1 }
            let source = TestPublisher<Bytes, Never>()
            let end = End<Never>()
            source.write(to: server.subscriber.values[0], receiveEnd: end.notify)
            eventually("the writer is ready") { source.outstanding > .none }
            client.reset()
            switch end.wait() {
            case .failed(let error, bytes: 0): XCTAssertEqual(error.code, ECONNRESET)
            case .readerClosed(bytes: 0): XCTAssertEqual(kind, .unix)
            default: XCTFail("\(end.written as Any)")
            }
            XCTAssertEqual(source.cancelCount, 1)
        }
    }

    func test_aHalfCloseDoesNotDisturbAWriter() throws {
        for kind in Kind.allCases {
            let (server, client) = try connectionPair(kind)
            let source = TestPublisher<Bytes, Never>()
            let end = End<Never>()
            source.write(to: server, receiveEnd: end.notify)
            let reader = TestSubscriber<Bytes, SystemError>.checked(.first(1))
            server.bytes().subscribe(reader)
            try client.closeWriting()
            eventually { reader.hasFinished }
            eventually { source.outstanding > .none }
            source.send("answer")
            source.send(completion: .finished)
            XCTAssertEqual(end.wait(), .finished(bytes: 6))
        }
    }

    func test_aReaderWithoutDemandNoticesAResetAndAnEndAfterTheLastByte() throws {
        let server = try TestServer(.tcp)
        for resets in [true, false] {
            let client = PlainClient(server.address)
            let count = server.subscriber.values.count
            eventually { server.subscriber.values.count > count - 1 && server.subscriber.values.last != nil }
            client.send("text")
            let connections = server.subscriber
            eventually { connections.values.count == (resets ? 1 : 2) }
            let reader = TestSubscriber<Bytes, SystemError>.checked(.first(1))
            connections.values.last?.bytes().subscribe(reader)
            eventually { reader.text == "text" }
            if resets { client.reset() } else { client.closeWriting() }
            eventually("the end is noticed without demand") { reader.completion != nil }
            XCTAssertEqual(reader.failure?.code, resets ? ECONNRESET : nil)
        }
    }

    func test_anEndBehindUnreadBytesWaitsForDemandAndComesWithTheLastOfThem() throws {
        for kind in Kind.allCases {
            let (server, client) = try connectionPair(kind)
            let sent = End<Never>()
            Just(Bytes("abcd")).write(to: client, receiveEnd: sent.notify)
            XCTAssertEqual(sent.wait(), .finished(bytes: 4))
            let reader = TestSubscriber<Bytes, SystemError>.checked(.first(1))
            server.bytes(chunkSize: 2).subscribe(reader)
            eventually { reader.text == "ab" }
            XCTAssertNil(reader.completion)
            reader.request(.max(1))
            eventually("the end comes with the last byte") { reader.hasFinished }
            XCTAssertEqual(reader.text, "abcd")
        }
    }

    func test_aRelayWhoseTargetStallsNoticesThatItsClientsAreGone() throws {
        let options = SocketOptions(sendBufferSize: 1 << 14, receiveBufferSize: 1 << 14)
        let front = try TestServer(.tcp, options: options)
        let back = try TestServer(.tcp, options: options)
        let ends = (0..<20).map { _ in End<SystemError>() }
        var clients: [PlainClient] = []
        var targets: [PlainClient] = []
        for end in ends {
            clients.append(PlainClient(front.address))
            targets.append(PlainClient(back.address))
            eventually {
                front.subscriber.values.count == clients.count && back.subscriber.values.count == clients.count
            }
            // Nobody reads at the target.
            front.subscriber.values.last?.bytes().write(to: back.subscriber.values.last!, receiveEnd: end.notify)
        }
        let block = [UInt8](repeating: 1, count: 1 << 16)
        var quiet = 0
        eventually("the relays are stalled") {
            quiet += 1
            for client in clients
            where send(client.number, block, block.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) > 0 { quiet = 0 }
            return quiet > 10
        }
        for client in clients { client.reset() }
        eventually("every pair has ended") { ends.allSatisfy { $0.written != nil } }
        for end in ends {
            guard case .upstreamFailed(let error, _)? = end.written else { return XCTFail("\(end.written as Any)") }
            XCTAssertEqual(error.code, ECONNRESET)
        }
        withExtendedLifetime(targets) {}
    }
}
