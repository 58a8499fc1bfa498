import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class SwitchOnFirstTests: XCTestCase {
    private let upstream = TestPublisher<Int, TestFailure>()

    private let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)

    func test_theStreamThatIsGivenHasTheFirstValueToo() {
        for script in [DemandScript.unlimited, .oneByOne, .oneByOneReentrantly] {
            let subscriber = TestSubscriber<Int, Never>.checked(script)
            (1...5).publisher.switchOnFirst { first, all in all.map { $0 * 10 + first } }.subscribe(subscriber)
            XCTAssertEqual(subscriber.values, [11, 21, 31, 41, 51])
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_requestsOneValueAheadAndNoMore() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        upstream.switchOnFirst { $1 }.subscribe(subscriber)
        XCTAssertEqual(upstream.requested, .max(1))
        (1...5).forEach { upstream.send($0) }
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(upstream.requested, .max(3))
        XCTAssertEqual(upstream.outstanding, .none)
    }

    func test_theClosureIsCalledOnceAndNotForAnEmptyStream() {
        var calls = 0
        let silent = TestSubscriber<Int, Never>.checked(.unlimited)
        Empty<Int, Never>().switchOnFirst { _, all -> AnyPublisher<Int, Never> in
            calls += 1
            return all
        }.subscribe(silent)
        XCTAssertTrue(silent.hasFinished)
        upstream.switchOnFirst { _, all -> AnyPublisher<Int, TestFailure> in
            calls += 1
            return all
        }.subscribe(subscriber)
        (1...3).forEach { upstream.send($0) }
        XCTAssertEqual(calls, 1)
    }

    func test_aFailureBeforeTheFirstValueEndsIt() {
        upstream.switchOnFirst { $1 }.subscribe(subscriber)
        upstream.fail(.first)
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_aFailureAfterTheFirstValueIsThePublishersToHandle() {
        upstream.switchOnFirst { _, all in all.catch { _ in [8, 9].publisher.setFailureType(to: TestFailure.self) } }
            .subscribe(subscriber)
        upstream.send(1)
        upstream.fail(.first)
        XCTAssertEqual(subscriber.values, [1, 8, 9])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_theEndOfWhatIsMadeIsTheEndAndCancelsUpstream() {
        upstream.switchOnFirst { first, _ in Just(first * 2).setFailureType(to: TestFailure.self) }
            .subscribe(subscriber)
        upstream.send(3)
        XCTAssertEqual(subscriber.values, [6])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_whatIsMadeGoesOnAfterItHasLeftTheStream() {
        let later = TestPublisher<Int, TestFailure>()
        upstream.switchOnFirst { _, all in all.prefix(1).append(later) }.subscribe(subscriber)
        upstream.send(1)
        XCTAssertEqual(upstream.cancelCount, 1)
        later.send(2)
        later.finish()
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_aStreamThatIsSubscribedToLateLosesNothing() {
        let gate = PassthroughSubject<Int, TestFailure>()
        upstream.switchOnFirst { _, all in gate.prefix(1).append(all) }.subscribe(subscriber)
        XCTAssertTrue(upstream.send(1))
        XCTAssertFalse(upstream.send(2), "held back")
        gate.send(0)
        XCTAssertTrue(upstream.send(3))
        upstream.finish()
        XCTAssertEqual(subscriber.values, [0, 1, 3])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_cancelReachesUpstreamBeforeAndAfterTheFirstValue() {
        upstream.switchOnFirst { $1 }.subscribe(subscriber)
        subscriber.cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
        let other = TestSubscriber<Int, TestFailure>.checked(.cancelling(atValue: 2))
        upstream.switchOnFirst { $1 }.subscribe(other)
        (1...4).forEach { upstream.send($0) }
        XCTAssertEqual(upstream.cancelCount, 2)
    }

    func test_carriesAMillionValues() {
        let subscriber = CountingSubscriber<Int, Never>()
        (0..<1_000_000).publisher.switchOnFirst { $1 }.subscribe(subscriber)
        XCTAssertEqual(subscriber.count, 1_000_000)
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_releasesTheSubscriberAndTheValuesHoweverItEnds() {
        assertReleases(endings: [.completion, .cancel, .cancelInsideDelivery]) { tracked in
            [tracked, tracked].publisher.switchOnFirst { $1 }
        }
    }
}
