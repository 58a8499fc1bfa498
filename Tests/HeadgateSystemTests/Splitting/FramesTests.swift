import Glibc
import HeadgateSystem
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

final class FramesTests: XCTestCase {
    private func upstream(
        _ chunks: [Bytes]
    ) -> Publishers.SetFailureType<Publishers.Sequence<[Bytes], Never>, SystemError> {
        chunks.publisher.setFailureType(to: SystemError.self)
    }

    private func result(of publisher: some Publisher<Bytes, SystemError>) -> TestSubscriber<Bytes, SystemError> {
        let subscriber = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        publisher.subscribe(subscriber)
        return subscriber
    }

    private func everyCut(of bytes: [UInt8], _ body: ([Bytes]) -> Void) {
        for first in 0...bytes.count {
            for second in first...bytes.count {
                body([Bytes(bytes[..<first]), Bytes(bytes[first..<second]), Bytes(bytes[second...])])
            }
        }
    }

    func test_framesWithALengthAreTheSameWhereverTheChunksEnd() {
        everyCut(of: [0, 2, 97, 98, 0, 0, 0, 3, 99, 100, 101]) { chunks in
            let frames = result(of: upstream(chunks).frames(lengthBytes: 2))
            XCTAssertEqual(frames.values, ["ab", "", "cde"])
            XCTAssertTrue(frames.hasFinished)
        }
        let little = result(of: upstream([[1, 0, 97, 2, 0, 98, 99]]).frames(lengthBytes: 2, byteOrder: .littleEndian))
        XCTAssertEqual(little.values, ["a", "bc"])
    }

    func test_aFrameThatIsTooLongFailsBeforeItIsKept() {
        let frames = result(of: upstream([[0, 1, 97, 0xFF, 0xFF]]).frames(lengthBytes: 2, maximumLength: 100))
        XCTAssertEqual(frames.values, ["a"])
        XCTAssertEqual(frames.failure?.code, EMSGSIZE)
        let greatest = result(of: upstream([Bytes(repeatElement(0xFF, count: 8))]).frames(lengthBytes: 8))
        XCTAssertEqual(greatest.failure?.code, EMSGSIZE)
    }

    func test_aStreamThatEndsInsideAFrameFails() {
        for chunk in [[0], [0, 2], [0, 2, 97]] as [Bytes] {
            XCTAssertEqual(result(of: upstream([chunk]).frames(lengthBytes: 2)).failure?.code, EBADMSG)
        }
    }

    func test_framesWithADelimiterAreTheSameWhereverTheChunksEnd() {
        everyCut(of: Array("one--two---three-----".utf8)) { chunks in
            let frames = result(of: upstream(chunks).frames(delimitedBy: "--"))
            XCTAssertEqual(frames.values, ["one", "two", "-three", "", "-"])
            XCTAssertTrue(frames.hasFinished)
        }
    }

    func test_aDelimitedFrameThatIsTooLongFails() {
        for chunks in [["ab--abcd--"], ["ab--abc", "d--"], ["ab--abc", "defgh"], ["ab--abcd"]] as [[Bytes]] {
            let frames = result(of: upstream(chunks).frames(delimitedBy: "--", maximumLength: 3))
            XCTAssertEqual(frames.values, ["ab"])
            XCTAssertEqual(frames.failure?.code, EMSGSIZE)
        }
        XCTAssertEqual(result(of: upstream(["abc-", "-"]).frames(delimitedBy: "--", maximumLength: 3)).values, ["abc"])
    }

    func test_keepsToTheContract() {
        verify(
            publisher: self.upstream([[0, 2, 97], [98, 0, 1, 99], [0, 0]]).frames(lengthBytes: 2),
            [.finite, .holdsSubscribers]
        ).check { XCTFail($0, file: $1, line: $2) }
        verify(publisher: self.upstream(["a-", "-b--", "c"]).frames(delimitedBy: "--"), [.finite, .holdsSubscribers])
            .check { XCTFail($0, file: $1, line: $2) }
    }
}
