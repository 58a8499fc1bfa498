import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class CatchTests: XCTestCase {
    func test_goesOnWithAnotherPublisher() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(3))
        upstream.catch { failure in [failure == .first ? 8 : 0, 9, 10].publisher }.subscribe(subscriber)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(subscriber.events, [.subscription("Catch"), .request(.max(3)), .value(1), .value(8), .value(9)])
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [1, 8, 9, 10])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_forwardsTheFailureOfTheOtherPublisher() {
        let upstream = TestPublisher<Int, TestFailure>()
        let other = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.catch { _ in other }.subscribe(subscriber)
        upstream.send(completion: .failure(.first))
        other.send(completion: .failure(.second))
        XCTAssertEqual(subscriber.failure, .second)
    }

    func test_doesNotCallTheHandlerWithoutAFailure() {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        let upstream = TestPublisher<Int, TestFailure>()
        upstream.catch { _ -> Publishers.Sequence<[Int], Never> in
            XCTFail("called")
            return [].publisher
        }
        .subscribe(subscriber)
        upstream.finish()
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_tryCatchFailsWithWhatTheHandlerThrows() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, any Error>.checked(.unlimited)
        upstream.tryCatch { _ -> Publishers.Sequence<[Int], Never> in throw TestFailure.second }.subscribe(subscriber)
        XCTAssertEqual(subscriber.subscription.map { "\($0)" }, "TryCatch")
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(subscriber.failure as? TestFailure, .second)
    }

    func test_tryCatchGoesOnAndForwardsFailures() {
        let upstream = TestPublisher<Int, TestFailure>()
        let other = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, any Error>.checked(.first(2))
        upstream.tryCatch { _ in other }.subscribe(subscriber)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(other.calls, [.request(.max(2))])
        other.send(1)
        other.send(completion: .failure(.second))
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(subscriber.failure as? TestFailure, .second)
    }

    func test_releasesEverythingAtCancelInsideADelivery() {
        let upstream = TestPublisher<Int, TestFailure>()
        let other = TestPublisher<Int, TestFailure>()
        var subscriber: TestSubscriber<Int, TestFailure>? = TestSubscriber.checked(.cancelling(atValue: 1))
        weak let weakSubscriber = subscriber
        subscriber.map { upstream.catch { _ in other }.subscribe($0) }
        upstream.send(completion: .failure(.first))
        other.send(1)
        other.send(2)
        XCTAssertEqual(subscriber?.values, [1])
        XCTAssertEqual([upstream.cancelCount, other.cancelCount], [0, 1])
        subscriber = nil
        XCTAssertNil(weakSubscriber)
    }
}
