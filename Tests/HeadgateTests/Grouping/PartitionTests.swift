import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class PartitionTests: XCTestCase {
    func test_dividesValuesOfOneSubscription() {
        let upstream = TestPublisher<Int, TestFailure>()
        let (even, odd) = upstream.partition { $0.isMultiple(of: 2) }
        let (evens, odds) = (
            TestSubscriber<Int, TestFailure>.checked(.unlimited), TestSubscriber<Int, TestFailure>.checked(.first(1))
        )
        even.subscribe(evens)
        odd.subscribe(odds)
        (1...6).forEach { upstream.send($0) }
        upstream.fail(.first)
        XCTAssertEqual(upstream.subscriptionCount, 1)
        XCTAssertEqual(evens.values, [2, 4, 6])
        XCTAssertEqual(evens.failure, .first)
        XCTAssertEqual(odds.values, [1])
        odds.request(.max(2))
        XCTAssertEqual(odds.values, [1, 3, 5])
    }

    func test_theSidesAreNeverFurtherApartThanTheLimit() {
        let upstream = TestPublisher<Int, TestFailure>()
        let (even, odd) = upstream.partition(limit: 3) { $0.isMultiple(of: 2) }
        let (evens, odds) = (
            TestSubscriber<Int, TestFailure>.checked(.none), TestSubscriber<Int, TestFailure>.checked(.unlimited)
        )
        even.subscribe(evens)
        odd.subscribe(odds)
        for number in [1, 3, 5, 7, 9] { XCTAssertTrue(upstream.send(number), "nothing waits") }
        for number in [2, 11, 13] { XCTAssertTrue(upstream.send(number)) }
        XCTAssertFalse(upstream.send(15), "three values from the first that waits")
        evens.request(.max(1))
        XCTAssertEqual(evens.values, [2])
        XCTAssertTrue(upstream.send(17))
        XCTAssertEqual(odds.values, [1, 3, 5, 7, 9, 11, 13, 17])
    }

    func test_whatOneSubscriberLacksDemandForIsKeptForItAlone() {
        let upstream = TestPublisher<Int, Never>()
        let (even, odd) = upstream.partition(limit: 3) { $0.isMultiple(of: 2) }
        let first = TestSubscriber<Int, Never>.checked(.oneByOne)
        let second = TestSubscriber<Int, Never>.checked(.first(1))
        let third = TestSubscriber<Int, Never>.checked(.unlimited)
        let odds = TestSubscriber<Int, Never>.checked(.unlimited)
        for subscriber in [first, second, third] { even.subscribe(subscriber) }
        odd.subscribe(odds)
        (1...6).forEach { XCTAssertTrue(upstream.send($0)) }
        XCTAssertFalse(upstream.send(7), "three values from the first that waits")
        XCTAssertEqual(first.values, [2, 4, 6])
        XCTAssertEqual(second.values, [2])
        XCTAssertEqual(third.values, [2, 4, 6])
        XCTAssertEqual(odds.values, [1, 3, 5])
        second.request(.unlimited)
        XCTAssertEqual(second.values, [2, 4, 6])
        (7...10).forEach { XCTAssertTrue(upstream.send($0)) }
        for subscriber in [first, second, third] { XCTAssertEqual(subscriber.values, [2, 4, 6, 8, 10]) }
        XCTAssertEqual(odds.values, [1, 3, 5, 7, 9])
    }

    func test_aSideWithoutSubscribersHoldsNobodyBack() {
        let odds = TestSubscriber<Int, Never>.checked(.oneByOne)
        (1...100).publisher.partition(limit: 1) { $0.isMultiple(of: 2) }.nonMatches.subscribe(odds)
        XCTAssertEqual(odds.values.count, 50)
        XCTAssertTrue(odds.hasFinished)
    }

    func test_sidesThatAreZippedGoOnUpToTheLimit() {
        let source = (1...100).publisher.makeConnectable()
        let (even, odd) = source.partition(limit: 2) { $0.isMultiple(of: 2) }
        let rows = TestSubscriber<Int, Never>.checked(.unlimited)
        even.zip(odd).map { $0 * 1000 + $1 }.subscribe(rows)
        source.connect().cancel()
        XCTAssertEqual(rows.values.count, 50)
        XCTAssertEqual(rows.values.last, 100_099)
    }

    func test_requestsOncePerValueAndSide() {
        var count = 0
        let upstream = TestPublisher<Int, Never>()
        let (even, odd) = upstream.partition { number in
            count += 1
            return number.isMultiple(of: 2)
        }
        let listeners = [TestSubscriber<Int, Never>.checked(.unlimited), TestSubscriber<Int, Never>.checked(.oneByOne)]
        even.subscribe(listeners[0])
        odd.subscribe(listeners[1])
        (1...10).forEach { upstream.send($0) }
        XCTAssertEqual(count, 20)
    }
}
