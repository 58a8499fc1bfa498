import Headgate
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

final class ForeignBytesTests: XCTestCase {
    private func chunks(_ texts: String..., failing: Bool = false) -> some Publisher<Bytes, TestFailure> {
        texts.publisher.map { Bytes($0) }.setFailureType(to: TestFailure.self)
            .append(
                failing ? Fail<Bytes, TestFailure>(error: .first).eraseToAnyPublisher() : Empty().eraseToAnyPublisher())
    }

    private func received<T>(_ stream: some Publisher<T, any Error>) -> (values: [String], failure: (any Error)?) {
        let subscriber = TestSubscriber<T, any Error>(.oneByOne)
        stream.subscribe(subscriber)
        return (subscriber.values.map { "\($0)" }, subscriber.failure)
    }

    func test_linesOfBytesThatFailWithAnything() {
        let (lines, failure) = received(chunks("a\nb", "c\nd", failing: true).lines())
        XCTAssertEqual(lines, ["a", "bc"])
        XCTAssertEqual(failure as? TestFailure, .first)
        XCTAssertEqual(received(chunks("a\nb").byteLines().map { String($0) }).values, ["a", "b"])
    }

    func test_theirOwnFailuresAreThoseOfTheSystem() {
        let (lines, failure) = received(chunks("a\nbcdef\n").lines(maximumLength: 2))
        XCTAssertEqual(lines, ["a"])
        XCTAssertEqual((failure as? SystemError)?.code, EMSGSIZE)
        XCTAssertEqual((received(chunks("\u{0}\u{2}a").frames(lengthBytes: 2)).failure as? SystemError)?.code, EBADMSG)
    }

    func test_framesOfBytesThatFailWithAnything() {
        XCTAssertEqual(received(chunks("a;b", "c;").frames(delimitedBy: ";").map { String($0) }).values, ["a", "bc"])
        let framed = Just(Bytes([0, 1, 97, 0, 1, 98])).frames(lengthBytes: 2).map { String($0) }
        XCTAssertEqual(received(framed).values, ["a", "b"])
    }

    func test_aReaderOfBytesThatFailWithAnything() async throws {
        let reader = chunks("HEAD\nbo", "dy", failing: true).reader()
        let line = try await reader.line()
        XCTAssertEqual(line, "HEAD")
        let body = try await reader.bytes(count: 4)
        XCTAssertEqual(String(body), "body")
        do {
            _ = try await reader.line()
            XCTFail("does not fail")
        } catch { XCTAssertEqual(error as? TestFailure, .first) }
    }

    func test_bytesThatFailWithSystemErrorsKeepTheirType() {
        func check<P: Publisher>(_: P) where P.Failure == SystemError {}
        let bytes = Just(Bytes("a")).setFailureType(to: SystemError.self)
        check(bytes.lines())
        check(bytes.byteLines())
        check(bytes.frames(lengthBytes: 2))
    }
}
