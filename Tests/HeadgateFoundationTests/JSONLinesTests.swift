import HeadgateFoundation
import HeadgateTesting
import TestSupport
import XCTest

final class JSONLinesTests: XCTestCase {
    private func decode(_ lines: [String]) -> TestSubscriber<[String: Int], any Error> {
        let subscriber = TestSubscriber<[String: Int], any Error>.checked(.unlimited)
        lines.map { Array($0.utf8) }.publisher.decodingJSONLines(as: [String: Int].self).subscribe(subscriber)
        return subscriber
    }

    func test_decodesEachLineAndLeavesEmptyOnesOut() {
        let subscriber = decode([#"{"a":1}"#, "", " \r", #"{"b":2}"#])
        XCTAssertEqual(subscriber.values, [["a": 1], ["b": 2]])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_failsAtALineThatIsNotJSON() {
        let subscriber = decode([#"{"a":1}"#, "{", #"{"b":2}"#])
        XCTAssertEqual(subscriber.values, [["a": 1]])
        XCTAssertTrue(subscriber.failure is DecodingError)
    }
}
