import Glibc
import HeadgateSystem
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

final class LinesTests: XCTestCase {
    private func upstream(_ chunks: [Bytes])
        -> Publishers.SetFailureType<Publishers.Sequence<[Bytes], Never>, SystemError>
    {
        chunks.publisher.setFailureType(to: SystemError.self)
    }

    private func lines(
        of chunks: Bytes..., maximumLength: Int = 100, terminators: LineTerminators = .lineFeed,
        longLines: LongLines = .fail, invalid: InvalidText = .repair
    ) -> TestSubscriber<String, SystemError> {
        let subscriber = TestSubscriber<String, SystemError>.checked(.unlimited)
        upstream(chunks)
            .lines(maximumLength: maximumLength, terminators: terminators, longLines: longLines, invalid: invalid)
            .subscribe(subscriber)
        return subscriber
    }

    func test_aChunkMayEndWhereTheLongestLineEnds() {
        XCTAssertEqual(lines(of: "abcde", "\n", maximumLength: 5, terminators: .lineFeedOnly).values, ["abcde"])
        XCTAssertEqual(lines(of: "abcde\r", "\n", maximumLength: 5).values, ["abcde"])
    }

    func test_linesMayBeOneByteLong() {
        XCTAssertEqual(lines(of: "a\nb\n", maximumLength: 1).values, ["a", "b"])
    }

    func test_publishesTheSameLinesWhereverTheChunksEnd() {
        let text: [UInt8] = Array("één\r\n\r\nzwei 🚲\n\u{0}\nlast".utf8)
        for first in 0...text.count {
            for second in first...text.count {
                let subscriber = TestSubscriber<String, SystemError>.checked(.unlimited)
                upstream([Bytes(text[..<first]), Bytes(text[first..<second]), Bytes(text[second...])]).lines()
                    .subscribe(subscriber)
                XCTAssertEqual(subscriber.values, ["één", "", "zwei 🚲", "\u{0}", "last"])
                XCTAssertTrue(subscriber.hasFinished)
            }
        }
    }

    func test_keepsCarriageReturnsThatEndNothing() {
        XCTAssertEqual(lines(of: "a\rb\r\r\nc\r").values, ["a\rb\r", "c\r"])
        XCTAssertEqual(lines(of: "a\r\nb", terminators: .lineFeedOnly).values, ["a\r", "b"])
    }

    func test_cutsAtZeroBytesAndAtBytesOfYourChoice() {
        XCTAssertEqual(lines(of: "a\nb\0c\0", terminators: .zero).values, ["a\nb", "c"])
        XCTAssertEqual(lines(of: "a;b;;", terminators: .byte(UInt8(ascii: ";"))).values, ["a", "b", ""])
    }

    func test_anEmptyStreamHasNoLinesAndALineFeedIsOne() {
        XCTAssertEqual(lines(of: "").values, [])
        XCTAssertEqual(lines(of: "\n").values, [""])
        XCTAssertTrue(lines(of: "").hasFinished)
    }

    func test_aLineOfTheGreatestLengthPassesAndALongerOneFails() {
        for chunks in [["12345\r\n1234\n"], ["123", "45\r", "\n1234\n"]] as [[Bytes]] {
            let subscriber = TestSubscriber<String, SystemError>.checked(.unlimited)
            upstream(chunks).lines(maximumLength: 5).subscribe(subscriber)
            XCTAssertEqual(subscriber.values, ["12345", "1234"])
        }
        for chunks in [["ok\n123456\n"], ["ok\n123", "456\n"], ["ok\n12345", "6"], ["ok\n123456"]] as [[Bytes]] {
            let subscriber = TestSubscriber<String, SystemError>.checked(.unlimited)
            upstream(chunks).lines(maximumLength: 5).subscribe(subscriber)
            XCTAssertEqual(subscriber.values, ["ok"])
            XCTAssertEqual(subscriber.failure?.code, EMSGSIZE)
        }
    }

    func test_aLongLineIsCutOrSkippedWhereverTheChunksEnd() {
        let text: [UInt8] = Array("ok\n123456789\nnext\nanother long one".utf8)
        for first in 0...text.count {
            for second in first...text.count {
                let chunks = [Bytes(text[..<first]), Bytes(text[first..<second]), Bytes(text[second...])]
                let cut = TestSubscriber<String, SystemError>.checked(.unlimited)
                upstream(chunks).lines(maximumLength: 5, longLines: .cut).subscribe(cut)
                XCTAssertEqual(cut.values, ["ok", "12345", "next", "anoth"])
                let skipped = TestSubscriber<String, SystemError>.checked(.unlimited)
                upstream(chunks).lines(maximumLength: 5, longLines: .skip).subscribe(skipped)
                XCTAssertEqual(skipped.values, ["ok", "next"])
            }
        }
    }

    func test_aTextIsCutBetweenCharacters() {
        XCTAssertEqual(lines(of: "abc🚲d\n", maximumLength: 5, longLines: .cut).values, ["abc"])
        XCTAssertEqual(lines(of: "a🚲d\n", maximumLength: 5, longLines: .cut).values, ["a🚲"])
    }

    func test_whatIsNotUTF8IsRepairedOrFailsOrStaysAsItIs() {
        let bytes: Bytes = [0x61, 0xFF, 0x0A, 0x62, 0x0A]
        XCTAssertEqual(lines(of: bytes).values, ["a\u{FFFD}", "b"])
        let failing = lines(of: bytes, invalid: .fail)
        XCTAssertEqual(failing.values, [])
        XCTAssertEqual(failing.failure?.code, EILSEQ)
        let raw = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        upstream([bytes]).byteLines().subscribe(raw)
        XCTAssertEqual(raw.values, [[0x61, 0xFF], [0x62]])
    }

    func test_requestsAChunkOnlyWhenTheLastIsUsedUp() {
        let upstream = TestPublisher<Bytes, SystemError>()
        let subscriber = TestSubscriber<String, SystemError>.checked()
        upstream.lines().subscribe(subscriber)
        XCTAssertEqual(upstream.requested, .none)
        subscriber.request(.max(1))
        XCTAssertEqual(upstream.requested, .max(1))
        upstream.send("a\nb\nc\nd")
        XCTAssertEqual(subscriber.values, ["a"])
        subscriber.request(.max(2))
        XCTAssertEqual(subscriber.values, ["a", "b", "c"])
        XCTAssertEqual(upstream.requested, .max(1))
        subscriber.request(.max(1))
        XCTAssertEqual(upstream.requested, .max(2))
        upstream.finish()
        XCTAssertEqual(subscriber.values, ["a", "b", "c", "d"])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_failsAfterTheWholeLinesBeforeUpstreamsFailure() {
        let upstream = TestPublisher<Bytes, SystemError>()
        let subscriber = TestSubscriber<String, SystemError>.checked(.unlimited)
        upstream.lines().subscribe(subscriber)
        upstream.send("a\nb")
        upstream.fail(SystemError(call: "read", code: EIO))
        XCTAssertEqual(subscriber.values, ["a"])
        XCTAssertEqual(subscriber.failure?.code, EIO)
    }

    func test_aGigabyteWithoutATerminatorIsNotKept() {
        let chunk = Bytes(repeatElement(UInt8(ascii: "x"), count: 1 << 16))
        var chunks = 0
        let subscriber = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        Always(chunk).prefix(1 << 14).append("\nnext\n").setFailureType(to: SystemError.self)
            .handleEvents(receiveOutput: { _ in chunks += 1 })
            .byteLines(maximumLength: 1 << 20, longLines: .cut)
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.values.map(\.count), [1 << 20, 4])
        XCTAssertEqual(chunks, (1 << 14) + 1)
    }

    func test_keepsToTheContract() {
        verify(publisher: self.upstream(["a\nb", "\n", "c\nd\ne"]).lines(), [.finite, .holdsSubscribers])
            .check { XCTFail($0, file: $1, line: $2) }
        verify(publisher: self.upstream(["a\nbcdef\ng"]).lines(maximumLength: 4), [.finite, .fails, .holdsSubscribers])
            .excusing(.oneCompletion, because: "a line that is too long is found when the next line is requested")
            .check { XCTFail($0, file: $1, line: $2) }
    }

    func test_releasesUpstreamAndSubscriberHoweverItEnds() {
        assertReleases(endings: [.completion, .cancel, .cancelInsideDelivery]) { tracked in
            self.upstream(["a\nb\nc"]).lines().handleEvents(receiveOutput: { [tracked] _ in _ = tracked })
        }
    }
}
