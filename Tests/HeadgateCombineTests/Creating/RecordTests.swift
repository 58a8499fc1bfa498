import Foundation
import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

private enum WrittenFailure: Int, Error, Codable {
    case first = 1
    case second
}

final class RecordTests: XCTestCase {
    func test_publishesItsValuesOnDemandAndFailsAfterTheLast() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        Record(output: [1, 2], completion: .failure(.first)).subscribe(subscriber)
        subscriber.request(1)
        XCTAssertEqual(subscriber.events, [.subscription("[1, 2]"), .request(.max(1)), .value(1)])
        subscriber.request(1)
        XCTAssertEqual(
            subscriber.events,
            [
                .subscription("[1, 2]"), .request(.max(1)), .value(1), .request(.max(1)), .value(2),
                .completion(.failure(.first)),
            ])
    }

    func test_failsAtOnceWithoutValues() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        Record(output: [], completion: .failure(.first)).subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Empty"), .completion(.failure(.first))])
    }

    func test_recordsWhatTheClosureSends() {
        let record = Record<Int, TestFailure> { recording in
            recording.receive(1)
            recording.receive(2)
            recording.receive(completion: .failure(.second))
        }
        XCTAssertEqual(record.recording.output, [1, 2])
        XCTAssertEqual(record.recording.completion, .failure(.second))
    }

    func test_finishesIfTheRecordingHasNoCompletion() {
        let record = Record<Int, TestFailure> { $0.receive(1) }
        XCTAssertEqual(record.recording.completion, .finished)
        XCTAssertEqual(Record<Int, TestFailure>.Recording(output: [1]).completion, .finished)
    }

    func test_isReadBackAsItWasWritten() throws {
        for completion in [Subscribers.Completion<WrittenFailure>.finished, .failure(.second)] {
            let record = Record(output: [1, 2, 3], completion: completion)
            let copy = try JSONDecoder().decode(
                Record<Int, WrittenFailure>.self, from: try JSONEncoder().encode(record))
            XCTAssertEqual(copy.recording.output, [1, 2, 3])
            XCTAssertEqual(copy.recording.completion, completion)
        }
    }

    func test_isWrittenAsCombineWritesIt() throws {
        let record = Record<Int, WrittenFailure>(output: [1], completion: .failure(.second))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(record), as: UTF8.self)
        let recording = #"{"completion":{"error":2,"success":false},"output":[1]}"#
        XCTAssertEqual(text, #"{"recording":\#(recording)}"#)
        XCTAssertEqual(String(decoding: try encoder.encode(record.recording), as: UTF8.self), recording)
    }

    func test_releasesValuesAndSubscriber() {
        assertReleases(retainsSubscription: false) {
            Record<Tracked, TestFailure>(output: [$0, $0], completion: .failure(.first))
        }
    }
}
