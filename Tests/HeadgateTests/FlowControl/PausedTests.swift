import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class PausedTests: XCTestCase {
    private let isPaused = CurrentValueSubject<Bool, Never>(false)
    private let upstream = TestPublisher<Int, TestFailure>()

    private func subscribe(_ demand: DemandScript) -> TestSubscriber<Int, TestFailure> {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(demand)
        upstream.paused(by: isPaused).subscribe(subscriber)
        return subscriber
    }

    func test_nothingIsRequestedDuringAPauseAndNothingOfASourceThatWaitsIsLost() {
        let subscriber = subscribe(.unlimited)
        XCTAssertEqual(upstream.requested, .max(1))
        upstream.send(1)
        XCTAssertEqual(upstream.requested, .max(2))
        isPaused.value = true
        upstream.send(2)
        XCTAssertEqual(subscriber.values, [1], "it was requested before, and waits")
        XCTAssertEqual(upstream.requested, .max(2))
        isPaused.value = false
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(upstream.requested, .max(3))
        isPaused.value = true
        isPaused.value = false
        XCTAssertEqual(upstream.requested, .max(3), "what is under way is not requested twice")
    }

    func test_demandIsKeptDuringAPause() {
        isPaused.value = true
        let subscriber = subscribe(.none)
        subscriber.request(.max(2))
        XCTAssertEqual(upstream.calls, [])
        isPaused.value = false
        XCTAssertEqual(upstream.requested, .max(1))
        upstream.send(1)
        upstream.send(2)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(upstream.requested, .max(2), "no more than is requested")
    }

    func test_pausingFromInsideADelivery() {
        let numbers = (1...5).publisher
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited) { [isPaused] _, value in
            if value == 2 { isPaused.value = true }
        }
        numbers.paused(by: isPaused).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2])
        isPaused.value = false
        XCTAssertEqual(subscriber.values, [1, 2, 3, 4, 5])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_theCompletionWaitsForTheValueThatWaits() {
        for ending in [Subscribers.Completion<TestFailure>.finished, .failure(.first)] {
            let upstream = TestPublisher<Int, TestFailure>()
            let isPaused = CurrentValueSubject<Bool, Never>(false)
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            upstream.paused(by: isPaused).subscribe(subscriber)
            isPaused.value = true
            upstream.send(1)
            upstream.send(completion: ending)
            XCTAssertNil(subscriber.completion)
            isPaused.value = false
            XCTAssertEqual(subscriber.values, [1])
            XCTAssertEqual(subscriber.completion, ending)
        }
    }

    func test_withoutAValueThatWaitsTheCompletionComesAtOnce() {
        let subscriber = subscribe(.unlimited)
        isPaused.value = true
        upstream.fail(.first)
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_thePauseEndsWithThePublisherThatMadeIt() {
        let subscriber = subscribe(.unlimited)
        isPaused.value = true
        upstream.send(1)
        isPaused.send(completion: .finished)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(upstream.requested, .max(2))
    }

    func test_oneSwitchPausesSeveralStreams() {
        let subjects = (0..<2).map { _ in PassthroughSubject<Int, Never>() }
        let subscribers = subjects.map { subject in
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            subject.paused(by: isPaused).subscribe(subscriber)
            return subscriber
        }
        for value in 1...3 { subjects.forEach { $0.send(value) } }
        isPaused.value = true
        for value in 4...6 { subjects.forEach { $0.send(value) } }
        isPaused.value = false
        subjects.forEach { $0.send(7) }
        for subscriber in subscribers { XCTAssertEqual(subscriber.values, [1, 2, 3, 4, 7], "a hot source keeps one") }
    }

    func test_cancelReachesBoth() {
        let pauser = TestPublisher<Bool, Never>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.paused(by: pauser).subscribe(subscriber)
        subscriber.cancel()
        XCTAssertEqual([upstream.cancelCount, pauser.cancelCount], [1, 1])
    }
}

final class PausedConcurrencyTests: XCTestCase {
    func test_nothingIsLostWhileAnotherThreadPauses() {
        for _ in 0..<Scale.reduced(50) {
            let isPaused = CurrentValueSubject<Bool, Never>(false)
            let (numbers, count) = ((0..<2_000).publisher, Scale.reduced(200))
            let subscriber = TestSubscriber<Int, Never>.checked(.none)
            numbers.paused(by: isPaused).subscribe(subscriber)
            onThreads(2) { index in
                if index == 0 { return subscriber.request(.unlimited) }
                for turn in 0..<count { isPaused.value = turn % 2 == 0 }
                isPaused.value = false
            }
            XCTAssertEqual(subscriber.values, Array(0..<2_000))
            XCTAssertTrue(subscriber.hasFinished)
        }
    }
}
