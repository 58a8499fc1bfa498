import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class ShareUntilFailureTests: XCTestCase {
    private let upstream = TestPublisher<Int, TestFailure>()

    private func join(_ publisher: some Publisher<Int, TestFailure>) -> TestSubscriber<Int, TestFailure> {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        publisher.subscribe(subscriber)
        return subscriber
    }

    func test_sharesOneSubscription() {
        let shared = upstream.shareUntilFailure()
        let subscribers = [join(shared), join(shared)]
        upstream.send(1)
        XCTAssertEqual(subscribers.map(\.values), [[1], [1]])
        XCTAssertEqual(upstream.subscriptionCount, 1)
        upstream.finish()
        XCTAssertTrue(join(shared).hasFinished)
        XCTAssertEqual(upstream.subscriptionCount, 1)
    }

    func test_whoComesAfterAFailureBeginsAnew() {
        let shared = upstream.shareUntilFailure()
        let first = join(shared)
        upstream.fail(.first)
        XCTAssertEqual(first.failure, .first)
        let second = join(shared)
        XCTAssertNil(second.failure)
        XCTAssertEqual(upstream.subscriptionCount, 2)
        upstream.send(2)
        XCTAssertEqual(second.values, [2])
    }

    func test_thoseThatRetryShareTheNextAttempt() {
        let retried = upstream.shareUntilFailure().retry(3)
        let subscribers = [join(retried), join(retried)]
        upstream.fail(.first)
        XCTAssertEqual(upstream.subscriptionCount, 2)
        upstream.send(1)
        upstream.finish()
        XCTAssertEqual(subscribers.map(\.values), [[1], [1]])
        XCTAssertTrue(subscribers.allSatisfy(\.hasFinished))
    }

    func test_cancellingAllBeginsAnewWithTheNext() {
        let shared = upstream.shareUntilFailure()
        join(shared).cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
        _ = join(shared)
        XCTAssertEqual(upstream.subscriptionCount, 2)
    }
}
