import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class FlatMapDelayingFailuresTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>
    private typealias Failures = CollectedFailures<TestFailure>

    func test_theOthersGoOnAfterAFailure() {
        let outer = Hand()
        let inner = (0..<3).map { _ in Hand() }
        let subscriber = TestSubscriber<Int, Failures>.checked(.unlimited)
        outer.flatMapDelayingFailures { inner[$0] }.subscribe(subscriber)
        (0..<3).forEach { outer.send($0) }
        inner[0].fail(.first)
        inner[1].send(1)
        outer.fail(.second)
        XCTAssertNil(subscriber.completion)
        inner[2].send(2)
        inner[2].finish()
        inner[1].finish()
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(subscriber.failure?.all, [.first, .second])
    }

    func test_aPlaceBecomesFreeWithAFailure() {
        let outer = Hand()
        let inner = (0..<3).map { _ in Hand() }
        let subscriber = TestSubscriber<Int, Failures>.checked(.unlimited)
        outer.flatMapDelayingFailures(maxPublishers: .max(2)) { inner[$0] }.subscribe(subscriber)
        XCTAssertEqual(outer.requested, .max(2))
        outer.send(0)
        outer.send(1)
        inner[0].fail(.first)
        XCTAssertEqual(outer.requested, .max(3))
        outer.finish()
        inner[1].finish()
        XCTAssertEqual(subscriber.failure?.all, [.first])
    }

    func test_cancelReachesWhatIsActive() {
        let outer = Hand()
        let inner = (0..<2).map { _ in Hand() }
        let subscriber = TestSubscriber<Int, Failures>.checked(.unlimited)
        outer.flatMapDelayingFailures { inner[$0] }.subscribe(subscriber)
        outer.send(0)
        outer.send(1)
        inner[0].fail(.first)
        subscriber.cancel()
        XCTAssertEqual([outer.cancelCount, inner[0].cancelCount, inner[1].cancelCount], [1, 0, 1])
    }
}
