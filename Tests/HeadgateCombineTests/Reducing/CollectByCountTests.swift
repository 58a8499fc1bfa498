import HeadgateCombine
import TestSupport
import XCTest

final class CollectByCountTests: XCTestCase {
    private func start(
        _ demand: Subscribers.Demand, count: Int = 2
    ) -> (HandPublisher<Int, TestFailure>, Recorder<[Int], TestFailure>) {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<[Int], TestFailure>(demand: demand)
        upstream.collect(count).subscribe(recorder)
        return (upstream, recorder)
    }

    func test_publishesArraysAndWhatIsLeft() {
        let recorder = outcome(of: Values(1...5).collect(2))
        XCTAssertEqual(
            recorder.events,
            [
                .subscription("CollectByCount"), .value([1, 2]), .value([3, 4]), .value([5]), .completion(.finished),
            ])
    }

    func test_publishesNothingOfItsOwnWhereNothingIsLeft() {
        XCTAssertEqual(outcome(of: Values(1...4).collect(2)).values, [[1, 2], [3, 4]])
        XCTAssertEqual(outcome(of: Values([Int]()).collect(2)).values, [])
    }

    func test_asksUpstreamForAllValuesOfTheArrays() {
        let (upstream, recorder) = start(.max(2), count: 3)
        recorder.request(.max(1))
        recorder.request(.unlimited)
        XCTAssertEqual(upstream.calls, [.request(.max(6)), .request(.max(3)), .request(.unlimited)])
    }

    func test_asksForEverythingWhereTheProductIsTooLarge() {
        let (upstream, _) = start(.max(.max))
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
    }

    func test_multipliesTheDemandThatIsReturned() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<[Int], TestFailure>(demand: .max(1)) { _, _ in .max(2) }
        upstream.collect(3).subscribe(recorder)
        XCTAssertEqual(upstream.send(1), .none)
        XCTAssertEqual(upstream.send(2), .none)
        XCTAssertEqual(upstream.send(3), .max(6))
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_neverExceedsDemandWithWhatIsLeft() {
        for length in 0...7 {
            for demand in 0...4 {
                let recorder = Recorder<[Int], Never>(demand: .max(demand))
                Values(0..<length).collect(3).subscribe(recorder)
                for _ in 0..<4 { recorder.request(1) }
                XCTAssertEqual(recorder.values.flatMap { $0 }, Array(0..<length))
                XCTAssertTrue(recorder.hasFinished)
                XCTAssertEqual(recorder.breaches, [])
            }
        }
    }

    func test_dropsWhatIsLeftWhereUpstreamFails() {
        let (upstream, recorder) = start(.unlimited)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(recorder.values, [])
        XCTAssertEqual(recorder.failure, .first)
    }

    func test_isSilentAfterCancel() {
        let (upstream, recorder) = start(.unlimited)
        upstream.send(1)
        recorder.cancel()
        upstream.send(2)
        upstream.finish()
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(recorder.values, [])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_letsGoOfTheSubscriber() {
        checkRelease { $0.collect(2) }
    }
}
