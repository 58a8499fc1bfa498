import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class DeferredTests: XCTestCase {
    func test_makesAPublisherForEachSubscriberAndNoneBefore() {
        var made = 0
        let publisher = Deferred { () -> Just<Int> in
            made += 1
            return Just(made)
        }
        XCTAssertEqual(made, 0)
        for number in 1...3 {
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            publisher.subscribe(subscriber)
            XCTAssertEqual(
                subscriber.events,
                [.subscription("Just"), .request(.unlimited), .value(number), .completion(.finished)])
        }
    }

    func test_forwardsDemandFailureAndCancel() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        let publisher = Deferred { upstream }
        publisher.subscribe(subscriber)
        subscriber.cancel()
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .cancel])
        let other = TestSubscriber<Int, TestFailure>.checked()
        publisher.subscribe(other)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(other.failure, .first)
    }

    func test_releasesPublisherAndSubscriber() {
        assertReleases { tracked in Deferred { Just(tracked) } }
    }
}
