import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class IgnoreOutputTests: XCTestCase {
    func test_requestsEverythingAtOnceAndPublishesTheCompletionAlone() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Never, TestFailure>.checked()
        upstream.ignoreOutput().subscribe(subscriber)
        XCTAssertEqual(upstream.requested, .unlimited)
        XCTAssertEqual(upstream.answer(to: 1), .none)
        upstream.finish()
        XCTAssertEqual(subscriber.events, [.subscription("TestPublisher"), .completion(.finished)])
    }

    func test_forwardsFailure() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Never, TestFailure>.checked()
        upstream.ignoreOutput().subscribe(subscriber)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_forwardsCancelOnce() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Never, TestFailure>.checked()
        upstream.ignoreOutput().subscribe(subscriber)
        subscriber.cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_releasesTheSubscriber() {
        checkRelease { $0.ignoreOutput() }
    }
}
