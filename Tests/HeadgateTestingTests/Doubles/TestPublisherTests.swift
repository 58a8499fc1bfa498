import Headgate
import HeadgateTesting
import XCTest

final class TestPublisherTests: XCTestCase {
    func test_deliversOnlyWhatWasRequested() {
        let source = TestPublisher<Int, TestError>()
        let subscriber = TestSubscriber<Int, TestError>(.first(1))
        source.subscribe(subscriber)
        XCTAssertTrue(source.send(1))
        XCTAssertFalse(source.send(2))
        XCTAssertEqual(subscriber.values, [1])
        source.force(3)
        XCTAssertEqual(subscriber.breaches.map(\.rule), [.valuesAgainstDemand])
    }

    func test_addsAnswersToDemand() {
        let source = TestPublisher<Int, TestError>()
        source.subscribe(TestSubscriber<Int, TestError>(.first(1, then: .answer(.max(2)))))
        source.send(1)
        XCTAssertEqual(source.calls, [.request(.max(1)), .answer(.max(2))])
        XCTAssertEqual(source.outstanding, .max(2))
        XCTAssertEqual(source.requested, .max(3))
    }

    func test_reportsFailureOnce() {
        let source = TestPublisher<Int, TestError>()
        let subscriber = TestSubscriber<Int, TestError>()
        source.subscribe(subscriber)
        source.fail(.first)
        source.finish()
        XCTAssertEqual(subscriber.failure, .first)
        XCTAssertEqual(subscriber.breaches, [])
        XCTAssertFalse(source.isConnected)
    }

    func test_releasesItsSubscriberAtCancelAndAtTheEnd() {
        for ends in [true, false] {
            let source = TestPublisher<Int, TestError>()
            weak var weakSubscriber: TestSubscriber<Int, TestError>?
            do {
                let subscriber = TestSubscriber<Int, TestError>()
                weakSubscriber = subscriber
                source.subscribe(subscriber)
                if ends { source.finish() } else { subscriber.cancel() }
            }
            XCTAssertNil(weakSubscriber)
        }
    }

    func test_forcesOnASubscriberThatItKeeps() {
        let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
        let subscriber = TestSubscriber<Int, TestError>(.unlimited)
        source.subscribe(subscriber)
        source.finish()
        source.force(1)
        source.force(completion: .finished)
        XCTAssertEqual(subscriber.breaches.map(\.rule), [.silenceAfterTheEnd, .oneCompletion])
    }

    func test_servesAStockFlatAndAgainstDemand() {
        let source = TestPublisher<Int, TestError>(serving: Array(1...20_000), ending: .failure(.second))
        let subscriber = TestSubscriber<Int, TestError>(.oneByOneReentrantly)
        source.subscribe(subscriber)
        XCTAssertEqual(subscriber.values.count, 20_000)
        XCTAssertEqual(subscriber.failure, .second)
        XCTAssertEqual(subscriber.breaches, [])
    }

    func test_reportsWhatBecomesOfASecondSubscription() {
        let source = TestPublisher<Int, TestError>()
        let subscriber = TestSubscriber<Int, TestError>(.first(1))
        source.map { $0 }.subscribe(subscriber)
        XCTAssertEqual(source.sendSubscription().map(\.cancelCount).count, 1)
        XCTAssertEqual(source.cancelCount, 0)
    }

    func test_mayBeSentFromInsideARequestWhatThatRequestAllows() {
        var demands: [Subscribers.Demand] = []
        let source = TestPublisher<Int, TestError> { source, demand in
            demands.append(demand)
            XCTAssertTrue(source.send(demands.count))
            XCTAssertFalse(source.send(0))
        }
        let subscriber = TestSubscriber<Int, TestError>(.first(1))
        source.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1])
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(demands, [.max(1), .max(1)])
        XCTAssertEqual(subscriber.breaches, [])
    }

    func test_reportsWhetherItsSubscriptionsHaveBeenReleased() {
        let source = TestPublisher<Int, TestError>()
        XCTAssertTrue(source.areSubscriptionsReleased)
        let subscriber = TestSubscriber<Int, TestError>()
        source.subscribe(subscriber)
        XCTAssertFalse(source.areSubscriptionsReleased)
        subscriber.cancel()
        XCTAssertTrue(source.areSubscriptionsReleased)
    }
}
