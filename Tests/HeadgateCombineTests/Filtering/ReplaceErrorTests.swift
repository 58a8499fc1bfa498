import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class ReplaceErrorTests: XCTestCase {
    private func start(
        _ demand: Subscribers.Demand
    ) -> (TestPublisher<Int, TestFailure>, TestSubscriber<Int, Never>) {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: demand)
        upstream.replaceError(with: 7).subscribe(subscriber)
        return (upstream, subscriber)
    }

    func test_publishesTheValueInThePlaceOfAFailure() {
        let (upstream, subscriber) = start(.unlimited)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(
            subscriber.events,
            [.subscription("ReplaceError"), .request(.unlimited), .value(1), .value(7), .completion(.finished)])
    }

    func test_finishesWhereUpstreamDoes() {
        let (upstream, subscriber) = start(.unlimited)
        upstream.send(1)
        upstream.finish()
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_publishesTheValueAtOnceWhereDemandIsLeft() {
        let (upstream, subscriber) = start(.max(2))
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(subscriber.values, [1, 7])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_keepsTheValueUntilItIsRequestedWhereDemandIsUsedUp() {
        let (upstream, subscriber) = start(.max(1))
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertNil(subscriber.completion)
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [1, 7])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_countsTheDemandThatIsReturned() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(1)) { _, value in
            value == 1 ? .max(1) : .none
        }
        upstream.replaceError(with: 7).subscribe(subscriber)
        XCTAssertEqual(upstream.answer(to: 1), .max(1))
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(subscriber.values, [1, 7])
    }

    func test_forwardsDemandAndCancel() {
        let upstream = TestPublisher<Int, TestFailure>(keepsSubscribers: true)
        let subscriber = TestSubscriber<Int, Never>.checked(.first(2))
        upstream.replaceError(with: 7).subscribe(subscriber)
        subscriber.request(1)
        subscriber.cancel()
        upstream.force(1)
        upstream.force(completion: .failure(.first))
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .request(.max(1)), .cancel])
        XCTAssertEqual(
            subscriber.events, [.subscription("ReplaceError"), .request(.max(2)), .request(.max(1)), .cancel])
    }

    func test_releasesTheSubscriber() {
        checkRelease { $0.replaceError(with: 0) }
    }
}
