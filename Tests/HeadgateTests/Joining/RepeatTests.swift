import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class RepeatTests: XCTestCase {
    func test_goesThroughUpstreamSoManyTimesAgainstDemand() {
        let subscriber = TestSubscriber<Int, Never>.checked(.first(3))
        [1, 2].publisher.repeat(times: 3).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2, 1])
        subscriber.request(.max(3))
        XCTAssertEqual(subscriber.values, [1, 2, 1, 2, 1, 2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_requestsOfEachTurnWhatTheLastHasNotServed() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(5))
        upstream.repeat(times: 2).subscribe(subscriber)
        upstream.send(1)
        upstream.finish()
        XCTAssertEqual(upstream.calls, [.request(.max(5)), .request(.max(4))])
        upstream.fail(.first)
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_noTurnAtAllFinishesAtOnceAndOneIsThePublisherItself() {
        let none = TestSubscriber<Int, Never>.checked()
        Just(1).repeat(times: 0).subscribe(none)
        XCTAssertTrue(none.hasFinished)
        let one = TestSubscriber<Int, Never>.checked(.unlimited)
        Just(1).repeat(times: 1).subscribe(one)
        XCTAssertEqual(one.values, [1])
    }

    func test_manyTurnsAreFlatAndCancellingStopsAnyNumberOfThem() {
        let empty = TestSubscriber<Int, Never>.checked(.unlimited)
        Empty<Int, Never>().repeat(times: 1_000_000).subscribe(empty)
        XCTAssertTrue(empty.hasFinished)
        var count = 0
        let endless = TestSubscriber<Int, Never>.checked(.unlimited) { subscriber, _ in
            count += 1
            if count == 10_000 { subscriber.cancel() }
        }
        Just(1).repeat(times: .max).subscribe(endless)
        XCTAssertEqual(count, 10_000)
    }
}

final class SwitchIfEmptyTests: XCTestCase {
    func test_goesOnWithTheOtherOnlyIfThereWasNothing() {
        let upstream = TestPublisher<Int, TestFailure>()
        for (values, expected) in [([Int](), [8, 9]), ([1], [1])] {
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
            upstream.switchIfEmpty(to: [8, 9].publisher.setFailureType(to: TestFailure.self)).subscribe(subscriber)
            for value in values { upstream.send(value) }
            upstream.finish()
            XCTAssertEqual(subscriber.values, expected)
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_aFailureIsNotEmpty() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        FailsAtOnce().switchIfEmpty(to: Just(1).setFailureType(to: TestFailure.self)).subscribe(subscriber)
        XCTAssertEqual(subscriber.failure, .first)
        XCTAssertEqual(subscriber.values, [])
    }

    func test_theDefaultStandsInForNothing() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        Empty<Int, Never>().defaultIfEmpty(7).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [7])
    }
}
