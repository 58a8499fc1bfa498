import HeadgateCombine
import TestSupport
import XCTest

final class IgnoreOutputTests: XCTestCase {
    func test_asksForEverythingAtOnceAndPublishesTheCompletionAlone() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Never, TestFailure>()
        upstream.ignoreOutput().subscribe(recorder)
        XCTAssertEqual(upstream.requested, .unlimited)
        XCTAssertEqual(upstream.send(1), .none)
        upstream.finish()
        XCTAssertEqual(recorder.events, [.subscription("HandPublisher"), .completion(.finished)])
    }

    func test_passesFailureOn() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Never, TestFailure>()
        upstream.ignoreOutput().subscribe(recorder)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(recorder.failure, .first)
    }

    func test_passesCancelOnOnce() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Never, TestFailure>()
        upstream.ignoreOutput().subscribe(recorder)
        recorder.cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_letsGoOfTheSubscriber() {
        checkRelease { $0.ignoreOutput() }
    }
}
