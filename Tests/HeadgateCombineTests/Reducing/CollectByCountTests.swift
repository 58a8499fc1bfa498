import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class CollectByCountTests: XCTestCase {
    private func start(
        _ demand: Subscribers.Demand, count: Int = 2
    ) -> (TestPublisher<Int, TestFailure>, TestSubscriber<[Int], TestFailure>) {
        let upstream = TestPublisher<Int, TestFailure>(keepsSubscribers: true)
        let subscriber = TestSubscriber<[Int], TestFailure>.checked(requesting: demand)
        upstream.collect(count).subscribe(subscriber)
        return (upstream, subscriber)
    }

    func test_publishesArraysAndWhatIsLeft() {
        let subscriber = outcome(of: Values(1...5).collect(2))
        XCTAssertEqual(
            subscriber.events,
            [
                .subscription("CollectByCount"), .request(.max(1)), .value([1, 2]), .answer(.max(1)), .value([3, 4]),
                .answer(.max(1)), .value([5]), .answer(.max(1)), .completion(.finished),
            ])
    }

    func test_publishesNothingOfItsOwnWhereNothingIsLeft() {
        XCTAssertEqual(outcome(of: Values(1...4).collect(2)).values, [[1, 2], [3, 4]])
        XCTAssertEqual(outcome(of: Values([Int]()).collect(2)).values, [])
    }

    func test_requestsAllValuesOfTheArrays() {
        let (upstream, subscriber) = start(.max(2), count: 3)
        subscriber.request(.max(1))
        subscriber.request(.unlimited)
        XCTAssertEqual(upstream.calls, [.request(.max(6)), .request(.max(3)), .request(.unlimited)])
    }

    func test_requestsEverythingWhereTheProductIsTooLarge() {
        let (upstream, _) = start(.max(.max))
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
    }

    func test_multipliesTheDemandThatIsReturned() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<[Int], TestFailure>.checked(requesting: .max(1)) { _, _ in .max(2) }
        upstream.collect(3).subscribe(subscriber)
        XCTAssertEqual(upstream.answer(to: 1), .none)
        XCTAssertEqual(upstream.answer(to: 2), .none)
        XCTAssertEqual(upstream.answer(to: 3), .max(6))
    }

    func test_neverExceedsDemandWithWhatIsLeft() {
        for length in 0...7 {
            for demand in 0...4 {
                let subscriber = TestSubscriber<[Int], Never>.checked(.first(demand))
                Values(0..<length).collect(3).subscribe(subscriber)
                for _ in 0..<4 { subscriber.request(1) }
                XCTAssertEqual(subscriber.values.flatMap { $0 }, Array(0..<length))
                XCTAssertTrue(subscriber.hasFinished)
            }
        }
    }

    func test_dropsWhatIsLeftWhereUpstreamFails() {
        let (upstream, subscriber) = start(.unlimited)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(subscriber.values, [])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_isSilentAfterCancel() {
        let (upstream, subscriber) = start(.unlimited)
        upstream.send(1)
        subscriber.cancel()
        upstream.force(2)
        upstream.force(completion: .finished)
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(subscriber.values, [])
    }

    func test_releasesTheSubscriber() {
        checkRelease { $0.collect(2) }
    }
}
