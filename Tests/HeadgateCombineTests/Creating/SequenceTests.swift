import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class SequenceTests: XCTestCase {
    func test_publishesTheElementsAndFinishesAfterTheLast() {
        let subscriber = TestSubscriber<Int, Never>.checked(.first(3))
        [1, 2, 3].publisher.subscribe(subscriber)
        XCTAssertEqual(
            subscriber.events,
            [.subscription("[1, 2, 3]"), .request(.max(3)), .value(1), .value(2), .value(3), .completion(.finished)])
    }

    func test_publishesOneByOne() {
        let subscriber = TestSubscriber<Int, Never>.checked()
        (1...3).publisher.subscribe(subscriber)
        for count in 0..<3 {
            XCTAssertEqual(subscriber.values.count, count)
            subscriber.request(1)
        }
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_finishesAtOnceWithoutElements() {
        let subscriber = TestSubscriber<Int, Never>.checked()
        [Int]().publisher.subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Empty"), .completion(.finished)])
    }

    func test_readsAnEndlessSequenceOnlyAsFarAsRequested() {
        let subscriber = TestSubscriber<Int, Never>.checked(.first(5))
        (1...).publisher.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2, 3, 4, 5])
        XCTAssertNil(subscriber.completion)
    }

    func test_givesEachSubscriberItsOwnIteration() {
        let publisher = (1...3).publisher
        let first = TestSubscriber<Int, Never>.checked(.first(1))
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        publisher.subscribe(first)
        publisher.subscribe(second)
        XCTAssertEqual(first.values, [1])
        XCTAssertEqual(second.values, [1, 2, 3])
    }

    func test_releasesElementsAndSubscriberHoweverItEnds() {
        // The subscription is named after the sequence, and so keeps that for as long as it is kept itself.
        assertReleases(retainsSubscription: false) { [$0, $0].publisher }
    }

    func test_isEqualWhereTheSequenceIs() {
        XCTAssertEqual([1, 2].publisher, Publishers.Sequence(sequence: [1, 2]))
        XCTAssertNotEqual([1, 2].publisher, [2, 1].publisher)
    }
}
