import HeadgateFoundation
import TestSupport
import XCTest

final class JSONLinesTests: XCTestCase {
    private func decode(_ lines: [String]) -> Recorder<[String: Int], any Error> {
        let recorder = Recorder<[String: Int], any Error>(demand: .unlimited)
        lines.map { Array($0.utf8) }.publisher.decodingJSONLines(as: [String: Int].self).subscribe(recorder)
        return recorder
    }

    func test_decodesEachLineAndLeavesEmptyOnesOut() {
        let recorder = decode([#"{"a":1}"#, "", " \r", #"{"b":2}"#])
        XCTAssertEqual(recorder.values, [["a": 1], ["b": 2]])
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_failsAtALineThatIsNotJSON() {
        let recorder = decode([#"{"a":1}"#, "{", #"{"b":2}"#])
        XCTAssertEqual(recorder.values, [["a": 1]])
        XCTAssertTrue(recorder.failure is DecodingError)
    }
}
