import Glibc
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// A last line without a terminator, which may be half of one.
final class UnterminatedLineTests: XCTestCase {
    private func lines(
        of text: String, _ unterminated: UnterminatedLine
    ) -> (values: [String], completion: Subscribers.Completion<SystemError>?) {
        let subscriber = TestSubscriber<String, SystemError>.checked(.unlimited)
        Just(Bytes(text)).setFailureType(to: SystemError.self).lines(unterminated: unterminated).subscribe(subscriber)
        return (subscriber.values, subscriber.completion)
    }

    func test_isDeliveredDroppedOrAFailure() {
        let text = "pay 100 to Ada\npay 10"
        XCTAssertEqual(lines(of: text, .deliver).values, ["pay 100 to Ada", "pay 10"])
        let dropped = lines(of: text, .drop)
        XCTAssertEqual(dropped.values, ["pay 100 to Ada"])
        XCTAssertEqual(dropped.completion, .finished)
        let failed = lines(of: text, .fail)
        XCTAssertEqual(failed.values, ["pay 100 to Ada"])
        guard case .failure(let error) = failed.completion else { return XCTFail("no failure") }
        XCTAssertEqual(error.code, EBADMSG)
        for unterminated in [UnterminatedLine.deliver, .drop, .fail] {
            let whole = lines(of: "one\ntwo\n", unterminated)
            XCTAssertEqual(whole.values, ["one", "two"])
            XCTAssertEqual(whole.completion, .finished)
        }
    }

    func test_aReaderIsToldToo() async throws {
        let reader = Just(Bytes("one\nmuch too long\ntw")).setFailureType(to: SystemError.self).reader()
        let first = try await reader.line(unterminated: .fail)
        XCTAssertEqual(first, "one")
        let second = try await reader.line(maximumLength: 4, longLines: .cut)
        XCTAssertEqual(second, "much")
        do {
            _ = try await reader.line(unterminated: .fail)
            XCTFail("It has been taken for a line.")
        } catch {
            XCTAssertEqual((error as? SystemError)?.code, EBADMSG)
        }
    }

    func test_aLongLineIsSkippedByAReaderUpToItsTerminator() async throws {
        let chunks = ["one\nmu", "ch too ", "long", "\ntwo\n"].map { Bytes($0) }
        let reader = chunks.publisher.setFailureType(to: SystemError.self).reader()
        var lines: [String] = []
        while let line = try await reader.line(maximumLength: 4, longLines: .skip) { lines.append(line) }
        XCTAssertEqual(lines, ["one", "two"])
    }
}
