import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class DebounceByValueTests: XCTestCase {
    private let time = TestScheduler()
    private let upstream = TestPublisher<Int, TestFailure>()

    private func subscribe(_ demand: DemandScript = .unlimited) -> TestSubscriber<Int, TestFailure> {
        let subscriber = TestSubscriber<Int, TestFailure>(demand, clock: time)
        upstream.debounce(scheduler: time) { .seconds($0 % 10) }.subscribe(subscriber)
        return subscriber
    }

    private func check(_ subscriber: TestSubscriber<Int, TestFailure>, _ expected: [String]) {
        XCTAssertEqual(subscriber.timedValues.map { "\($0.time) \($0.value)" }, expected)
        XCTAssertEqual(subscriber.breaches.count, 0)
    }

    func test_theTimeDependsOnTheValue() {
        let subscriber = subscribe()
        XCTAssertEqual(upstream.requested, .unlimited)
        upstream.send(5)
        time.advance(by: .seconds(1))
        upstream.send(2)
        time.advance(by: .seconds(1))
        XCTAssertEqual(subscriber.values, [])
        time.advance(by: .seconds(8))
        upstream.send(3)
        time.advance(by: .seconds(1))
        upstream.send(9)
        time.advance(by: .seconds(9))
        check(subscriber, ["3s 2", "20s 9"])
        XCTAssertEqual(time.unfinished, [])
    }

    func test_aValueWithoutATimeIsPublishedAtOnceAndReplacesTheOneThatWaits() {
        let subscriber = subscribe()
        upstream.send(5)
        upstream.send(10)
        time.advance(by: .seconds(9))
        check(subscriber, ["0s 10"])
    }

    func test_aValueThatFallsDueWithoutDemandIsDropped() {
        let subscriber = subscribe(.first(1))
        upstream.send(1)
        time.advance(by: .seconds(1))
        upstream.send(1)
        time.advance(by: .seconds(1))
        subscriber.request(.max(1))
        check(subscriber, ["1s 1"])
    }

    func test_theCompletionBringsTheValueThatWaits() {
        let subscriber = subscribe(.none)
        upstream.send(5)
        upstream.finish()
        XCTAssertNil(subscriber.completion)
        subscriber.request(.max(1))
        check(subscriber, ["0s 5"])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(time.unfinished, [])
    }

    func test_aFailureDoesNotWait() {
        let failing = subscribe(.none)
        upstream.send(5)
        upstream.fail(.first)
        XCTAssertEqual(failing.failure, .first)
        XCTAssertEqual(time.unfinished, [])
    }

    func test_cancellingTakesTheTimerBack() {
        let subscriber = subscribe()
        upstream.send(5)
        subscriber.cancel()
        XCTAssertEqual(time.unfinished, [])
        XCTAssertEqual(upstream.cancelCount, 1)
    }
}
