import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class ScanIntoTests: XCTestCase {
    func test_publishesEachRunningResult() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<[Int], TestFailure>.checked(.first(2))
        upstream.scan(into: []) { $0.append($1) }.subscribe(subscriber)
        XCTAssertEqual(upstream.requested, .max(2))
        upstream.send(1)
        upstream.send(2)
        XCTAssertEqual(subscriber.values, [[1], [1, 2]])
        subscriber.request(.max(1))
        XCTAssertEqual(upstream.requested, .max(3))
        upstream.fail(.first)
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_everySubscriberBeginsWithTheInitialResult() {
        let sums = (1...3).publisher.map { $0 }.scan(into: 10) { $0 += $1 }
        for _ in 1...2 {
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            sums.subscribe(subscriber)
            XCTAssertEqual(subscriber.values, [11, 13, 16])
        }
    }
}
