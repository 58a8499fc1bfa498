import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class PartitionTests: XCTestCase {
    func test_dividesValuesOfOneSubscription() {
        let upstream = TestPublisher<Int, TestFailure>()
        let (even, odd) = upstream.partition { $0.isMultiple(of: 2) }
        let (evens, odds) = (
            TestSubscriber<Int, TestFailure>(.unlimited), TestSubscriber<Int, TestFailure>(.first(1))
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
        XCTAssertEqual(evens.breaches + odds.breaches, [])
    }
}
