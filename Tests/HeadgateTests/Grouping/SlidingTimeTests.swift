import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class SlidingTimeTests: XCTestCase {
    private let time = TestScheduler()
    private let upstream = TestPublisher<Int, TestFailure>()

    private func subscribe(
        limit: Int = 10, _ demand: DemandScript = .unlimited
    ) -> TestSubscriber<[Int], TestFailure> {
        let subscriber = TestSubscriber<[Int], TestFailure>(demand, clock: time)
        upstream.sliding(within: .seconds(5), every: .seconds(2), limit: limit, scheduler: time).subscribe(subscriber)
        return subscriber
    }

    func test_aValueIsInEveryArrayOfTheSpan() {
        let subscriber = subscribe()
        for value in 0..<4 {
            upstream.send(value)
            time.advance(by: .seconds(1))
        }
        time.advance(by: .seconds(6))
        XCTAssertEqual(
            subscriber.timedValues.map { "\($0.time) \($0.value)" },
            ["2s [0, 1]", "4s [0, 1, 2, 3]", "6s [2, 3]", "8s []"])
        subscriber.cancel()
        XCTAssertEqual(time.unfinished, [])
    }

    func test_theOldestValuesLeaveAnArrayThatIsFull() {
        let subscriber = subscribe(limit: 2)
        (1...5).forEach { upstream.send($0) }
        time.advance(by: .seconds(2))
        XCTAssertEqual(subscriber.values, [[4, 5]])
        subscriber.cancel()
    }

    func test_anArrayWithoutDemandIsDropped() {
        let subscriber = subscribe(.none)
        upstream.send(1)
        time.advance(by: .seconds(2))
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [])
        time.advance(by: .seconds(2))
        XCTAssertEqual(subscriber.values, [[1]])
        subscriber.cancel()
    }

    func test_theLastArrayWaitsUntilItIsRequested() {
        let subscriber = subscribe(.none)
        upstream.send(1)
        upstream.finish()
        XCTAssertNil(subscriber.completion)
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [[1]])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(time.unfinished, [])
    }

    func test_finishesAtOnceWithoutNewValues() {
        let subscriber = subscribe()
        upstream.send(1)
        time.advance(by: .seconds(2))
        upstream.finish()
        XCTAssertEqual(subscriber.values, [[1]])
        XCTAssertTrue(subscriber.hasFinished)
    }
}
