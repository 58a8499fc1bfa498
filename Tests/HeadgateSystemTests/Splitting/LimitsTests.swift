import Glibc
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// Each limit at its value, one below, one above, and at the greatest number there is.
final class LimitsTests: XCTestCase {
    private func result<Output>(
        _ chunks: [Bytes],
        _ split: (Publishers.SetFailureType<Publishers.Sequence<[Bytes], Never>, SystemError>) -> some Publisher<
            Output, SystemError
        >
    ) -> TestSubscriber<Output, SystemError> {
        let subscriber = TestSubscriber<Output, SystemError>.checked(.unlimited)
        split(chunks.publisher.setFailureType(to: SystemError.self)).subscribe(subscriber)
        return subscriber
    }

    /// Ways to receive five bytes as the last line or frame of a stream.
    private let ways: [[Bytes]] = [["12345"], ["123", "45"], ["1", "2", "3", "4", "5"]]

    func test_aLastLineIsMeasuredAsAnyOther() {
        for ending in ["", "\n", "\r\n"] {
            for way in ways {
                let chunks = way + [Bytes(ending)]
                for limit in [5, 6, .max - 1, .max] {
                    for policy in [LongLines.fail, .cut, .skip] {
                        let lines = result(chunks) { $0.lines(maximumLength: limit, longLines: policy) }
                        XCTAssertEqual(lines.values, ["12345"], "\(way) \(limit)")
                        XCTAssertTrue(lines.hasFinished)
                    }
                }
                XCTAssertEqual(result(chunks) { $0.lines(maximumLength: 4) }.failure?.code, EMSGSIZE)
                XCTAssertEqual(result(chunks) { $0.lines(maximumLength: 4, longLines: .cut) }.values, ["1234"])
                XCTAssertEqual(result(chunks) { $0.byteLines(maximumLength: 4, longLines: .skip) }.values, [])
            }
        }
    }

    func test_aFrameIsMeasuredByItsLength() {
        for way in ways {
            let chunks = [[0, 5]] + way
            for limit in [5, 6, .max] {
                let frames = result(chunks) { $0.frames(lengthBytes: 2, maximumLength: limit) }
                XCTAssertEqual(frames.values, ["12345"])
                XCTAssertTrue(frames.hasFinished)
            }
            XCTAssertEqual(
                result(chunks) { $0.frames(lengthBytes: 2, maximumLength: 4) }.failure?.code, EMSGSIZE)
        }
        // A length that only fits without a sign is longer than any limit.
        let greatest = [Bytes(repeatElement(0xFF, count: 8)), "text"]
        XCTAssertEqual(result(greatest) { $0.frames(lengthBytes: 8, maximumLength: .max) }.failure?.code, EMSGSIZE)
        let great = [Bytes([0x7F] + [UInt8](repeating: 0xFF, count: 7)), "text"]
        XCTAssertEqual(result(great) { $0.frames(lengthBytes: 8, maximumLength: .max) }.failure?.code, EBADMSG)
    }

    func test_aDelimitedFrameIsMeasuredWithoutItsDelimiter() {
        for ending in ["", "--"] {
            for way in ways {
                let chunks = way + [Bytes(ending)]
                for limit in [5, 6, .max] {
                    let frames = result(chunks) { $0.frames(delimitedBy: "--", maximumLength: limit) }
                    XCTAssertEqual(frames.values, ["12345"])
                    XCTAssertTrue(frames.hasFinished)
                }
                XCTAssertEqual(
                    result(chunks) { $0.frames(delimitedBy: "--", maximumLength: 4) }.failure?.code, EMSGSIZE)
            }
        }
    }

    func test_chunksBuffersAndOutputHaveRoomForAnything() {
        let folder = Folder()
        let path = folder.write("text", to: "file")
        let file = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        File(path).bytes(chunkSize: .max).subscribe(file)
        eventually { file.hasFinished }
        XCTAssertEqual(file.text, "text")
        let end = End<Never>()
        ["a", "b"].publisher.map { Bytes($0) }.write(to: File(path), bufferSize: .max, receiveEnd: end.notify)
        XCTAssertEqual(end.wait(), .finished(bytes: 2))
        let outcome = TestSubscriber<CommandOutcome, SystemError>.checked(.unlimited)
        Command("echo", "text").run(maximumLength: .max).subscribe(outcome)
        eventually { outcome.hasFinished }
        XCTAssertEqual(outcome.values.first.map { String($0.output) }, "text\n")
        let follower = TestSubscriber<Bytes, SystemError>.checked(.first(1))
        File(path).follow(from: .beginning, chunkSize: .max).subscribe(follower)
        eventually { follower.text == "ab" }
        follower.cancel()
    }

    func test_connectionsTakeTheGreatestOptions() throws {
        let options = SocketOptions(
            keepAlive: KeepAlive(idle: .max, interval: .max, probes: .max), sendBufferSize: .max,
            receiveBufferSize: .max)
        let (server, client) = try TestServer(.tcp, options: options, backlog: .max).connect(options: options)
        let end = End<Never>()
        Just(Bytes("text")).write(to: client, bufferSize: .max, receiveEnd: end.notify)
        let reader = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        server.bytes(chunkSize: .max).subscribe(reader)
        eventually { reader.hasFinished }
        XCTAssertEqual(reader.text, "text")
        XCTAssertEqual(end.wait(), .finished(bytes: 4))
    }
}
