import HeadgateCombine
import TestSupport
import XCTest

final class CatchTests: XCTestCase {
    func test_goesOnWithAnotherPublisher() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, Never>(demand: .max(3))
        upstream.catch { failure in [failure == .first ? 8 : 0, 9, 10].publisher }.subscribe(recorder)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(recorder.events, [.subscription("Catch"), .value(1), .value(8), .value(9)])
        recorder.request(1)
        XCTAssertEqual(recorder.values, [1, 8, 9, 10])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(upstream.cancelCount, 0)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_passesTheFailureOfTheOtherPublisherOn() {
        let upstream = HandPublisher<Int, TestFailure>()
        let other = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.catch { _ in other }.subscribe(recorder)
        upstream.send(completion: .failure(.first))
        other.send(completion: .failure(.second))
        XCTAssertEqual(recorder.failure, .second)
    }

    func test_doesNotCallTheHandlerWithoutAFailure() {
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        let upstream = HandPublisher<Int, TestFailure>()
        upstream.catch { _ -> Publishers.Sequence<[Int], Never> in
            XCTFail("called")
            return [].publisher
        }
        .subscribe(recorder)
        upstream.finish()
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_tryCatchFailsWithWhatTheHandlerThrows() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, any Error>(demand: .unlimited)
        upstream.tryCatch { _ -> Publishers.Sequence<[Int], Never> in throw TestFailure.second }.subscribe(recorder)
        XCTAssertEqual(recorder.subscription.map { "\($0)" }, "TryCatch")
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(recorder.values, [1])
        XCTAssertEqual(recorder.failure as? TestFailure, .second)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_tryCatchGoesOnAndPassesFailuresOn() {
        let upstream = HandPublisher<Int, TestFailure>()
        let other = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, any Error>(demand: .max(2))
        upstream.tryCatch { _ in other }.subscribe(recorder)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(other.calls, [.request(.max(2))])
        other.send(1)
        other.send(completion: .failure(.second))
        XCTAssertEqual(recorder.values, [1])
        XCTAssertEqual(recorder.failure as? TestFailure, .second)
    }

    func test_letsGoOfEverythingAtCancelInsideADelivery() {
        let upstream = HandPublisher<Int, TestFailure>()
        let other = HandPublisher<Int, TestFailure>()
        var recorder: Recorder<Int, TestFailure>? = Recorder(demand: .unlimited) { recorder, _ in
            recorder.cancel()
            return .none
        }
        weak let weakRecorder = recorder
        recorder.map { upstream.catch { _ in other }.subscribe($0) }
        upstream.send(completion: .failure(.first))
        other.send(1)
        other.send(2)
        XCTAssertEqual(recorder?.values, [1])
        XCTAssertEqual([upstream.cancelCount, other.cancelCount], [0, 1])
        recorder = nil
        XCTAssertNil(weakRecorder)
    }
}
