import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

final class ByteReaderTests: XCTestCase {
    private let failure = SystemError(call: "test", code: EIO)

    private func reader(of chunks: [Bytes]) -> ByteReader<SystemError> {
        chunks.publisher.setFailureType(to: SystemError.self).reader()
    }

    private func text(_ bytes: Bytes?) -> String? { bytes.map { String($0) } }

    func test_aConversationIsTheSameWhereverTheChunksEnd() async throws {
        let all = Array("GET / HTTP/1.1\r\nLength: 4\r\n\r\nbody\u{0}\u{3}oneend--rest\nof it".utf8)
        for first in 0...all.count {
            for second in [first, min(first + 1, all.count), all.count] {
                let reader = reader(of: [Bytes(all[..<first]), Bytes(all[first..<second]), Bytes(all[second...])])
                var lines: [String] = []
                while let line = try await reader.line(), !line.isEmpty { lines.append(line) }
                XCTAssertEqual(lines, ["GET / HTTP/1.1", "Length: 4"])
                let body = try await reader.bytes(count: 4)
                XCTAssertEqual(body, "body")
                let frame = try await reader.frame(lengthBytes: 2)
                XCTAssertEqual(frame, "one")
                let delimited = try await reader.frame(delimitedBy: "--")
                XCTAssertEqual(delimited, "end")
                var rest = ""
                while let chunk = try await reader.chunk(maximumCount: 3) { rest += String(chunk) }
                XCTAssertEqual(rest, "rest\nof it")
                let end = try await reader.line()
                XCTAssertNil(end)
            }
        }
    }

    func test_publishersTakeWhatIsRequestedAndNoMore() {
        let upstream = TestPublisher<Bytes, SystemError>()
        let reader = upstream.reader()
        XCTAssertEqual(upstream.requested, .none)
        let lines = TestSubscriber<String, SystemError>.checked(.first(1))
        reader.lines().subscribe(lines)
        XCTAssertEqual(upstream.requested, .max(1))
        upstream.send("one\ntwo\n12345\u{1}a\u{2}")
        XCTAssertEqual(lines.values, ["one"])
        lines.request(.max(1))
        XCTAssertEqual(lines.values, ["one", "two"])
        lines.cancel()
        let pieces = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        reader.pieces(count: 5).prefix(1).subscribe(pieces)
        XCTAssertEqual(pieces.values, ["12345"])
        XCTAssertTrue(pieces.hasFinished)
        let frames = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        reader.frames(lengthBytes: 1).prefix(2).subscribe(frames)
        XCTAssertEqual(frames.values, ["a"])
        XCTAssertEqual(upstream.requested, .max(2))
        upstream.send("b")
        upstream.send("c12")
        XCTAssertEqual(frames.values, ["a", "bc"])
        let chunks = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        reader.chunks(count: 3).subscribe(chunks)
        XCTAssertEqual(chunks.values, ["12"])
        upstream.send("3rest")
        XCTAssertEqual(chunks.values, ["12", "3"])
        XCTAssertTrue(chunks.hasFinished)
        let rest = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        reader.rest().subscribe(rest)
        upstream.finish()
        XCTAssertEqual(rest.values, ["rest"])
        XCTAssertTrue(rest.hasFinished)
    }

    func test_whatACancelledStepHasGatheredIsForTheNextOne() async throws {
        let steps: [(String, @Sendable (ByteReader<SystemError>) -> any Publisher<Bytes, SystemError>)] = [
            ("lin", { $0.byteLines() }), ("fra", { $0.frames(delimitedBy: "---") }),
            ("\u{0}\u{9}part", { $0.frames(lengthBytes: 2) }), ("\u{9}", { $0.frames(lengthBytes: 2) }),
            ("\u{9}\u{0}part", { $0.frames(lengthBytes: 2, byteOrder: .littleEndian) }),
            ("pie", { $0.pieces(count: 4) }),
        ]
        for (beginning, step) in steps {
            let upstream = TestPublisher<Bytes, SystemError>()
            let reader = upstream.reader()
            let subscriber = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
            step(reader).subscribe(subscriber)
            upstream.send(Bytes(beginning))
            subscriber.cancel()
            let rest = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
            reader.rest().subscribe(rest)
            XCTAssertEqual(rest.text, beginning)
            upstream.send("more")
            XCTAssertEqual(rest.text, beginning + "more")
            rest.cancel()
        }
    }

    func test_aTaskThatIsCancelledLosesNothing() async throws {
        let upstream = TestPublisher<Bytes, SystemError>()
        let reader = upstream.reader()
        let task = Task { try await reader.line() }
        eventually { upstream.outstanding > .none }
        upstream.send("half ")
        eventually { upstream.outstanding > .none }
        task.cancel()
        do {
            let line = try await task.value
            XCTFail("\(line as Any)")
        } catch {
            XCTAssertTrue(error is CancellationError)
        }
        upstream.send("a line\n")
        let line = try await reader.line()
        XCTAssertEqual(line, "half a line")
    }

    func test_theNextStepMayBeginInsideTheDeliveryOfAPiece() {
        let reader = reader(of: ["one\ntwo\nthree\n"])
        let second = TestSubscriber<String, SystemError>.checked(.unlimited)
        let first = TestSubscriber<String, SystemError>.checked(.first(1)) { first, line in
            if line == "one" { reader.lines().prefix(1).subscribe(second) }
            first.request(.max(1))
        }
        reader.lines().prefix(2).subscribe(first)
        XCTAssertEqual(second.values, ["two"])
        XCTAssertTrue(second.hasFinished)
        XCTAssertEqual(first.values, ["one", "three"])
        XCTAssertTrue(first.hasFinished)
    }

    func test_aTaskGoesOnAfterTheFirstValueOfAStep() async throws {
        for _ in 0..<Scale.reduced(2000) {
            let reader = reader(of: ["one\ntwo\n3"])
            let first = try await reader.lines().stopped(by: KillSwitch()).firstValue
            let second = try await reader.line()
            let third = try await reader.bytes(count: 1)
            XCTAssertEqual([first, second, String(third)], ["one", "two", "3"])
        }
    }

    func test_oneStepAtATime() async {
        let upstream = TestPublisher<Bytes, SystemError>()
        let reader = upstream.reader()
        let first = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        reader.rest().subscribe(first)
        let second = TestSubscriber<String, SystemError>.checked(.unlimited)
        reader.lines().subscribe(second)
        XCTAssertEqual(second.failure?.code, EBUSY)
        upstream.send("text")
        XCTAssertEqual(first.values, ["text"])
        first.cancel()
    }

    func test_failsWhereTheStreamEndsTooSoonOrALimitIsExceededAndThenForGood() async {
        typealias Step = @Sendable (ByteReader<SystemError>) async throws -> Bytes?
        let count: Step = { try await $0.bytes(count: 5) }
        let frame: Step = { try await $0.frame(lengthBytes: 1, maximumLength: 200) }
        let line: Step = { try await $0.byteLine(maximumLength: 3) }
        let delimited: Step = { try await $0.frame(delimitedBy: ";", maximumLength: 3) }
        let long: Step = { try await $0.frame(lengthBytes: 1, maximumLength: 10) }
        let byte: Step = { try await $0.bytes(count: 1) }
        for (step, code) in [
            (count, EBADMSG), (frame, EBADMSG), (line, EMSGSIZE), (delimited, EMSGSIZE), (long, EMSGSIZE),
        ] {
            let reader = reader(of: ["text"])
            for next in [step, byte, step] {
                do {
                    _ = try await next(reader)
                    XCTFail("no failure with \(code)")
                } catch {
                    XCTAssertEqual((error as? SystemError)?.code, code)
                }
            }
        }
    }

    func test_upstreamsFailureComesAfterWhatItHasPublished() async throws {
        let reader = Just(Bytes("one\ntw")).setFailureType(to: SystemError.self).append(Fail(error: failure)).reader()
        let line = try await reader.line()
        XCTAssertEqual(line, "one")
        do {
            _ = try await reader.line()
            XCTFail("no failure")
        } catch {
            XCTAssertEqual(error as? SystemError, failure)
        }
    }

    func test_upstreamIsCancelledWhenTheReaderAndItsPublishersAreReleased() {
        let upstream = TestPublisher<Bytes, SystemError>()
        var reader: ByteReader<SystemError>? = upstream.reader()
        let rest = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        reader?.rest().subscribe(rest)
        reader = nil
        upstream.send("text")
        XCTAssertEqual(rest.text, "text")
        XCTAssertEqual(upstream.cancelCount, 0)
        rest.cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_keepsToTheContract() {
        verify(publisher: self.reader(of: ["a\nb", "\n", "c\nd\ne"]).lines(), [.finite, .holdsSubscribers])
            .check { XCTFail($0, file: $1, line: $2) }
    }

    func test_aConnectionIsUpgradedFromLinesToFrames() async throws {
        for kind in Kind.allCases {
            let (server, client) = try connectionPair(kind)
            let sent = End<Never>()
            Just(Bytes("UPGRADE frames\r\n\r\n\u{0}\u{5}hello\u{0}\u{2}yo")).write(to: client, receiveEnd: sent.notify)
            let reader = server.bytes().reader()
            let request = try await reader.line()
            XCTAssertEqual(request, "UPGRADE frames")
            _ = try await reader.line()
            let answer = await Just(Bytes("OK\r\n")).write(to: server, keepsOpen: true)
            XCTAssertEqual(answer, .finished(bytes: 4))
            let frames = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
            reader.frames(lengthBytes: 2).subscribe(frames)
            eventually { frames.hasFinished }
            XCTAssertEqual(frames.values, ["hello", "yo"])
            let answers = client.bytes().reader()
            let line = try await answers.line()
            XCTAssertEqual(line, "OK")
        }
    }

    func test_theOutputOfAProgramIsTakenApart() async throws {
        let reader = Command("printf", "blob 5\\nhello\\nblob 2\\nyo\\n").bytes().reader()
        for expected in ["hello", "yo"] {
            let header = try await reader.line()
            let count = try XCTUnwrap(header?.split(separator: " ").last.flatMap { Int($0) })
            let body = try await reader.bytes(count: count)
            XCTAssertEqual(String(body), expected)
            _ = try await reader.line()
        }
        let end = try await reader.line()
        XCTAssertNil(end)
    }
}
