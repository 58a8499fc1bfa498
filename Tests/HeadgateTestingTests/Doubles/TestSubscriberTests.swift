import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

final class TestSubscriberTests: XCTestCase {
    func test_writesDownWhatItReceivesAndSaysInOrder() {
        let subscriber = TestSubscriber<Int, Never>(.first(1, then: .answer(.max(1)), .request(.max(5))))
        (1...3).publisher.subscribe(subscriber)
        XCTAssertEqual(
            subscriber.events,
            [
                .subscription("1...3"), .request(.max(1)), .value(1), .answer(.max(1)), .value(2), .request(.max(5)),
                .value(3), .completion(.finished),
            ])
        XCTAssertEqual(subscriber.breaches, [])
        XCTAssertEqual(subscriber.outstanding, .max(4))
    }

    func test_requestsNothingBeforeTheTestSaysSo() {
        let subscriber = TestSubscriber<Int, Never>()
        (1...3).publisher.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [])
        subscriber.request(.max(2))
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(subscriber.outstanding, .none)
    }

    func test_cancelsInsideTheDeliveryOfTheValueChosen() {
        let subscriber = TestSubscriber<Int, Never>(.cancelling(atValue: 2))
        (1...3).publisher.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertNil(subscriber.completion)
        XCTAssertNil(subscriber.subscription)
    }

    func test_notesTheMomentOfEachValue() {
        let scheduler = TestScheduler()
        let source = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>(.unlimited, clock: scheduler)
        source.subscribe(subscriber)
        scheduler.advance(by: .seconds(2))
        source.send(7)
        XCTAssertEqual(subscriber.timedValues.map(\.time), [TestTime(nanoseconds: 2_000_000_000)])
    }

    func test_requestingAndCancellingAfterTheEndReachesThePublisher() {
        let source = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>(
            .none, misbehavior: [.retainsSubscription, .requestsAfterCompletion, .cancelsAfterCompletion])
        source.subscribe(subscriber)
        source.finish()
        XCTAssertEqual(source.calls, [.request(.max(1)), .cancel])
        XCTAssertNotNil(subscriber.subscription)
    }

    func test_seesEveryBreachThatOneSubscriberCanSee() {
        for misbehaviour in [
            Misbehaviour.valueBeforeSubscription, .secondSubscription, .oneValueTooMany, .ignoresDemand,
            .secondCompletion, .valueAfterTheEnd,
        ] {
            let subscriber = TestSubscriber<Int, Never>(.first(1))
            MisbehavingPublisher(misbehaviour).subscribe(subscriber)
            subscriber.request(.max(5))
            XCTAssertEqual(subscriber.breaches.first?.rule, misbehaviour.rule, "\(misbehaviour)")
        }
        let reentrant = TestSubscriber<Int, Never>(.oneByOneReentrantly)
        MisbehavingPublisher(.nestsValues).subscribe(reentrant)
        XCTAssertEqual(reentrant.breaches.first?.rule, .noNestedValues)
        let cancelling = TestSubscriber<Int, Never>(.cancelling(atValue: 1))
        MisbehavingPublisher(.ignoresCancel).subscribe(cancelling)
        XCTAssertEqual(cancelling.breaches.first?.rule, .cancelStopsDelivery)
    }

    func test_requestsOnAnotherThreadInsideADelivery() {
        let subscriber = TestSubscriber<Int, Never>(.first(1, then: .requestElsewhere(.max(1)), .cancelElsewhere))
        (1...5).publisher.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(subscriber.breaches, [])
        XCTAssertNil(subscriber.completion)
    }

    func test_keepsToTheContractWhateverItsScript() {
        for script in [
            DemandScript.none, .unlimited, .oneByOne, .oneByOneReentrantly, .first(2, then: .answer(.max(2))),
        ] {
            verify(subscriber: TestSubscriber<Int, VerificationFailure>(script)).check {
                XCTFail($0, file: $1, line: $2)
            }
        }
    }

    func test_refusesASecondSubscription() {
        let publisher = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>(.first(1))
        publisher.subscribe(subscriber)
        XCTAssertEqual(publisher.sendSubscription().map(\.cancelCount), [1])
        XCTAssertTrue(publisher.isConnected)
        XCTAssertEqual(subscriber.breaches.map(\.rule), [.oneSubscription])
    }

    func test_remembersThatItWasCancelledBeforeItsSubscription() {
        let publisher = TestPublisher<Int, Never>(sendsSubscription: false)
        let subscriber = TestSubscriber<Int, Never>(.unlimited)
        publisher.subscribe(subscriber)
        subscriber.cancel()
        XCTAssertEqual(publisher.sendSubscription().map(\.cancelCount), [1])
        XCTAssertEqual(publisher.requested, .none)
    }

    func test_answersWhatTheClosureReturnsForEachValue() {
        let subscriber = TestSubscriber<Int, Never>(requesting: .max(1)) { _, value in value == 1 ? .max(2) : .none }
        (1...5).publisher.subscribe(subscriber)
        XCTAssertEqual(
            subscriber.events,
            [
                .subscription("1...5"), .request(.max(1)), .value(1), .answer(.max(2)), .value(2), .value(3),
            ])
        XCTAssertEqual(subscriber.outstanding, .none)
        XCTAssertEqual(subscriber.breaches, [])
    }

    func test_answersNothingToAValueThatComesLate() {
        let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
        var received: [Int] = []
        let subscriber = TestSubscriber<Int, TestError>(requesting: .max(1)) { _, value in
            received.append(value)
            return .max(1)
        }
        source.subscribe(subscriber)
        source.finish()
        source.force(1)
        XCTAssertEqual(received, [1])
        XCTAssertEqual(source.calls, [.request(.max(1))])
    }

    func test_requestsACountOfValues() {
        let subscriber = TestSubscriber<Int, Never>()
        (1...3).publisher.subscribe(subscriber)
        subscriber.request(2)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(subscriber.outstanding, .none)
    }

    func test_callsTheClosureAtTheCompletionAfterWritingItDown() {
        var received: [Subscribers.Completion<TestError>] = []
        let source = TestPublisher<Int, TestError>()
        let subscriber = TestSubscriber<Int, TestError>(
            .unlimited,
            onCompletion: { subscriber, completion in
                received.append(completion)
                XCTAssertEqual(subscriber.failure, .second)
                XCTAssertNil(subscriber.subscription)
            })
        source.subscribe(subscriber)
        source.fail(.second)
        XCTAssertEqual(received, [.failure(.second)])
        XCTAssertEqual(subscriber.breaches, [])
    }

    func test_reportsEachBreachOnceAndOutsideItsLock() {
        var reported: [Breach] = []
        weak var weakSubscriber: TestSubscriber<Int, TestError>?
        let source = TestPublisher<Int, TestError>(keepsSubscribers: true)
        let subscriber = TestSubscriber<Int, TestError>(
            .first(1),
            onBreach: { breach in
                reported.append(breach)
                // It would wait for itself for ever under the lock.
                XCTAssertEqual(weakSubscriber?.breaches, reported)
            })
        weakSubscriber = subscriber
        source.subscribe(subscriber)
        source.send(1)
        XCTAssertEqual(reported, [])
        source.force(2)
        source.finish()
        source.force(completion: .finished)
        XCTAssertEqual(reported.map(\.rule), [.valuesAgainstDemand, .oneCompletion])
        XCTAssertEqual(subscriber.breaches, reported)
    }
}
