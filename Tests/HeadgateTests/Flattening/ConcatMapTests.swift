import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class ConcatMapTests: XCTestCase {
    func test_beginsTheNextPublisherWhenTheLastHasBeenDelivered() {
        let upstream = TestPublisher<Int, TestFailure>()
        let inners = (0..<2).map { _ in TestPublisher<Int, TestFailure>() }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.concatMap { inners[$0] }.subscribe(subscriber)
        XCTAssertEqual(upstream.requested, .max(1))
        upstream.send(0)
        inners[0].send(1)
        XCTAssertEqual(inners[1].subscriptionCount, 0)
        XCTAssertEqual(upstream.requested, .max(1))
        inners[0].finish()
        XCTAssertEqual(upstream.requested, .max(2))
        upstream.send(1)
        upstream.finish()
        inners[1].send(2)
        inners[1].finish()
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_takesFailuresOfEitherSide() {
        let failing = [1, 2].publisher.concatMap { _ in Fail<Int, TestFailure>(error: .first) }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        failing.subscribe(subscriber)
        XCTAssertEqual(subscriber.failure, .first)
        let other = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        Fail<Int, TestFailure>(error: .first).concatMap { Just($0) }.subscribe(other)
        XCTAssertEqual(other.failure, .first)
    }

    func test_carriesAMillionValuesOneByOne() {
        let subscriber = CountingSubscriber<Int, Never>()
        let count = Scale.reduced(1_000_000)
        (0..<count).publisher.concatMap { Just($0) }.subscribe(subscriber)
        XCTAssertEqual(subscriber.count, count)
        XCTAssertTrue(subscriber.hasFinished)
    }
}
