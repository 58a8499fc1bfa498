import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class MergeSortedTests: XCTestCase {
    func test_isInOrderAndReadsNoFurtherThanItHasTo() {
        let upstreams = [[1, 4, 5], [2, 3, 9], []].map { TestPublisher<Int, TestFailure>(serving: $0) }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.none)
        upstreams.mergeSorted(by: <).subscribe(subscriber)
        XCTAssertEqual(upstreams.map(\.requested), [.none, .none, .none])
        subscriber.request(.max(2))
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(upstreams[0].requested, .max(2))
        XCTAssertEqual(upstreams[1].requested, .max(1))
        subscriber.request(.unlimited)
        XCTAssertEqual(subscriber.values, [1, 2, 3, 4, 5, 9])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_aValueTooManyReplacesNoneThatWaits() {
        let hands = (0..<2).map { _ in TestPublisher<Int, TestFailure>(keepsSubscribers: true) }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        hands.mergeSorted(by: <).subscribe(subscriber)
        hands[0].send(1)
        hands[0].force(2)
        XCTAssertEqual(subscriber.values, [], "what the other has may be less")
        hands[1].send(3)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(hands.map(\.requested), [.max(2), .max(1)])
    }

    func test_ofEqualValuesTheFirstPublisherComesFirst() {
        let subscriber = TestSubscriber<String, Never>.checked(.oneByOne)
        ["a1", "b1"].publisher.mergeSorted(with: ["a2", "b2"].publisher) { $0.first! < $1.first! }
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.values, ["a1", "a2", "b1", "b2"])
    }

    func test_noPublishersFinishAtOnceAndAFailureCancelsTheOthers() {
        let none = TestSubscriber<Int, Never>.checked(.none)
        [Just<Int>]().mergeSorted(by: <).subscribe(none)
        XCTAssertTrue(none.hasFinished)
        let hands = (0..<2).map { _ in TestPublisher<Int, TestFailure>() }
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        hands.mergeSorted(by: <).subscribe(subscriber)
        hands[0].send(1)
        hands[1].fail(.first)
        XCTAssertEqual(subscriber.failure, .first)
        XCTAssertEqual(hands[0].cancelCount, 1)
    }

    func test_carriesManyValues() {
        let count = Scale.reduced(1_000_000)
        let subscriber = CountingSubscriber<Int, Never>()
        (0..<4).map { stride(from: $0, to: count, by: 4).map { $0 }.publisher }.mergeSorted(by: <)
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.count, count)
        XCTAssertEqual(subscriber.last, count - 1)
        XCTAssertTrue(subscriber.hasFinished)
    }
}
