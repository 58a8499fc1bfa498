import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class ConflateTests: XCTestCase {
    func test_keepsTheMostRecentWhileNothingIsRequested() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        upstream.conflate().subscribe(subscriber)
        XCTAssertEqual(upstream.requested, .unlimited)
        (1...5).forEach { upstream.send($0) }
        XCTAssertEqual(subscriber.values, [1])
        upstream.fail(.first)
        XCTAssertNil(subscriber.completion, "what waits comes first")
        subscriber.request(.max(3))
        XCTAssertEqual(subscriber.values, [1, 5])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_foldsWithoutLosingAnything() {
        let upstream = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        upstream.conflate(into: { $0 }, { $0 += $1 }).subscribe(subscriber)
        (1...100).forEach { upstream.send($0) }
        upstream.send(completion: .finished)
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values.reduce(0, +), 5050)
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_batchWhileBusyRequestsNoMoreThanItsLimitAhead() {
        let upstream = TestPublisher<Int, Never>(serving: Array(1...20))
        let subscriber = TestSubscriber<[Int], Never>.checked(.first(1))
        upstream.batchWhileBusy(limit: 4).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [[1]])
        XCTAssertEqual(upstream.requested, .max(5))
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [[1], [2, 3, 4, 5]])
        XCTAssertEqual(upstream.requested, .max(9))
        subscriber.request(.unlimited)
        XCTAssertEqual(subscriber.values.flatMap { $0 }, Array(1...20))
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_carriesAMillionValues() {
        let subscriber = CountingSubscriber<Int, Never>()
        let count = Scale.reduced(1_000_000)
        (0..<count).publisher.conflate().subscribe(subscriber)
        XCTAssertEqual(subscriber.last, count - 1)
        XCTAssertTrue(subscriber.hasFinished)
    }
}
