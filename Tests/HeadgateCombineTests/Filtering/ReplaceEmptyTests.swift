import HeadgateCombine
import TestSupport
import XCTest

final class ReplaceEmptyTests: XCTestCase {
    func test_publishesTheValueWhereThereIsNone() {
        let recorder = outcome(of: Values([Int]()).replaceEmpty(with: 7))
        XCTAssertEqual(recorder.events, [.subscription("ReplaceEmpty"), .value(7), .completion(.finished)])
    }

    func test_publishesNothingOfItsOwnBehindOtherValues() {
        let recorder = outcome(of: Values([1, 2]).replaceEmpty(with: 7))
        XCTAssertEqual(recorder.values, [1, 2])
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_keepsTheValueUntilItIsAskedFor() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>()
        upstream.replaceEmpty(with: 7).subscribe(recorder)
        upstream.finish()
        XCTAssertEqual(recorder.events, [.subscription("ReplaceEmpty")])
        recorder.request(.none)
        XCTAssertEqual(recorder.values, [])
        recorder.request(1)
        XCTAssertEqual(recorder.values, [7])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_publishesNothingAfterCancel() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>()
        upstream.replaceEmpty(with: 7).subscribe(recorder)
        upstream.finish()
        let subscription = recorder.subscription
        recorder.cancel()
        subscription?.request(.max(1))
        XCTAssertEqual(recorder.events, [.subscription("ReplaceEmpty")])
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_doesNotFinishWhenCancelledFromInsideItsOwnValue() {
        let recorder = Recorder<Int, Never>(demand: .max(1)) { recorder, _ in
            recorder.cancel()
            return .none
        }
        Values([Int]()).replaceEmpty(with: 7).subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("ReplaceEmpty"), .value(7)])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.replaceEmpty(with: 0) }
    }
}
