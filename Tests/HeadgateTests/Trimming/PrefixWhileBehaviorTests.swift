import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class PrefixWhileBehaviorTests: XCTestCase {
    func test_theValueThatEndsThePrefixIsInOrOut() {
        for (behavior, expected) in [(PrefixWhileBehavior.inclusive, [1, 2, 5]), (.exclusive, [1, 2])] {
            let upstream = TestPublisher<Int, TestFailure>()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(5))
            upstream.prefix(while: { $0 < 3 }, behavior: behavior).subscribe(subscriber)
            for value in [1, 2, 5, 1] { upstream.send(value) }
            XCTAssertEqual(subscriber.values, expected)
            XCTAssertTrue(subscriber.hasFinished)
            XCTAssertEqual(upstream.cancelCount, 1)
        }
    }

    func test_anEndBeforeIsForwarded() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.prefix(while: { $0 < 3 }, behavior: .inclusive).subscribe(subscriber)
        upstream.send(1)
        upstream.fail(.first)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_theDurationEndsThePrefix() {
        let scheduler = TestScheduler()
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.prefix(duration: 2.5, on: scheduler).subscribe(subscriber)
        upstream.send(1)
        scheduler.advance(by: .milliseconds(2499))
        upstream.send(2)
        XCTAssertNil(subscriber.completion)
        scheduler.advance(by: .milliseconds(1))
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(upstream.cancelCount, 1)
    }
}
