import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class MaterializeTests: XCTestCase {
    private let upstream = TestPublisher<Int, TestFailure>()

    func test_saysTheEndAsAValueAgainstDemandAndThenFinishes() {
        for (ending, event) in [
            (Subscribers.Completion<TestFailure>.finished, Event<Int, TestFailure>.finished),
            (.failure(.first), .failure(.first)),
        ] {
            let upstream = TestPublisher<Int, TestFailure>()
            let subscriber = TestSubscriber<Event<Int, TestFailure>, Never>.checked(.first(1))
            upstream.materialize().subscribe(subscriber)
            upstream.send(1)
            upstream.send(completion: ending)
            XCTAssertEqual(subscriber.values, [.value(1)])
            XCTAssertNil(subscriber.completion, "the event of the end needs demand")
            subscriber.request(.max(1))
            XCTAssertEqual(subscriber.values, [.value(1), event])
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_dematerializeUndoesIt() {
        for ending in [Subscribers.Completion<TestFailure>.finished, .failure(.first)] {
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            TestPublisher(serving: [1, 2, 3], ending: ending).materialize().dematerialize().subscribe(subscriber)
            XCTAssertEqual(subscriber.values, [1, 2, 3])
            XCTAssertEqual(subscriber.completion, ending)
        }
    }

    func test_dematerializeCancelsUpstreamAtTheFirstEnd() {
        let upstream = TestPublisher<Event<Int, TestFailure>, Never>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(5))
        upstream.dematerialize().subscribe(subscriber)
        upstream.send(.value(1))
        upstream.send(.failure(.second))
        XCTAssertEqual(subscriber.failure, .second)
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_valuesAndFailuresAreTakenApart() {
        let events: [Event<Int, TestFailure>] = [.value(1), .failure(.first), .value(2), .finished, .failure(.second)]
        let values = TestSubscriber<Int, Never>.checked(.unlimited)
        let failures = TestSubscriber<TestFailure, Never>.checked(.unlimited)
        events.publisher.values().subscribe(values)
        events.publisher.failures().subscribe(failures)
        XCTAssertEqual(values.values, [1, 2])
        XCTAssertEqual(failures.values, [.first, .second])
    }

    func test_eventsAreDescribedAndCompared() {
        XCTAssertEqual("\(Event<Int, TestFailure>.value(1))", "value(1)")
        XCTAssertEqual("\(Event<Int, TestFailure>.failure(.first))", "failure(first)")
        XCTAssertEqual("\(Event<Int, TestFailure>.finished)", "finished")
        XCTAssertEqual(Set<Event<Int, TestFailure>>([.value(1), .value(1), .finished]).count, 2)
    }

    func test_resultsHoldAFailureUntilItIsRequested() {
        let subscriber = TestSubscriber<Result<Int, TestFailure>, Never>.checked(.first(1))
        upstream.mapToResult().subscribe(subscriber)
        upstream.send(1)
        upstream.fail(.second)
        XCTAssertEqual(subscriber.values, [.success(1)])
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [.success(1), .failure(.second)])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_resultsFinishWithUpstreamAndNeedNoDemandForThat() {
        let subscriber = TestSubscriber<Result<Int, TestFailure>, Never>.checked()
        upstream.mapToResult().subscribe(subscriber)
        upstream.finish()
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(subscriber.values, [])
    }
}
