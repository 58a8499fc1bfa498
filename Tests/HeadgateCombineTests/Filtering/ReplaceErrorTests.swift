import HeadgateCombine
import TestSupport
import XCTest

final class ReplaceErrorTests: XCTestCase {
    private func start(
        _ demand: Subscribers.Demand
    ) -> (HandPublisher<Int, TestFailure>, Recorder<Int, Never>) {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, Never>(demand: demand)
        upstream.replaceError(with: 7).subscribe(recorder)
        return (upstream, recorder)
    }

    func test_publishesTheValueInThePlaceOfAFailure() {
        let (upstream, recorder) = start(.unlimited)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(
            recorder.events, [.subscription("ReplaceError"), .value(1), .value(7), .completion(.finished)])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_finishesWhereUpstreamDoes() {
        let (upstream, recorder) = start(.unlimited)
        upstream.send(1)
        upstream.finish()
        XCTAssertEqual(recorder.values, [1])
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_publishesTheValueAtOnceWhereDemandIsLeft() {
        let (upstream, recorder) = start(.max(2))
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(recorder.values, [1, 7])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_keepsTheValueUntilItIsAskedForWhereDemandIsUsedUp() {
        let (upstream, recorder) = start(.max(1))
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(recorder.values, [1])
        XCTAssertNil(recorder.completion)
        recorder.request(1)
        XCTAssertEqual(recorder.values, [1, 7])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_countsTheDemandThatIsReturned() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, Never>(demand: .max(1)) { _, value in value == 1 ? .max(1) : .none }
        upstream.replaceError(with: 7).subscribe(recorder)
        XCTAssertEqual(upstream.send(1), .max(1))
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(recorder.values, [1, 7])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_passesDemandAndCancelOn() {
        let (upstream, recorder) = start(.max(2))
        recorder.request(1)
        recorder.cancel()
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .request(.max(1)), .cancel])
        XCTAssertEqual(recorder.events, [.subscription("ReplaceError")])
    }

    func test_letsGoOfTheSubscriber() {
        checkRelease { $0.replaceError(with: 0) }
    }
}
