import Headgate
import HeadgateCombine
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

final class OutputTests: XCTestCase {
    func test_prefixPublishesTheFirstValuesAndCancelsUpstreamAfterThem() {
        let upstream = TestPublisher<Int, TestFailure>(keepsSubscribers: true)
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.prefix(2).subscribe(subscriber)
        upstream.send(1)
        XCTAssertEqual(upstream.cancelCount, 0)
        upstream.send(2)
        upstream.force(3)
        XCTAssertEqual(
            subscriber.events,
            [.subscription("Output"), .request(.unlimited), .value(1), .value(2), .completion(.finished)])
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
    }

    func test_finishesAfterTheLastValueWithoutFurtherDemand() {
        let subscriber = TestSubscriber<Int, Never>.checked(.first(2))
        Values(1...5).prefix(2).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_finishesWithUpstreamWhereThatIsShorter() {
        let subscriber = outcome(of: Values(1...2).prefix(5))
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_prefixOfNothingFinishesAtOnceAndRequestsNothing() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.prefix(0).subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Output"), .request(.unlimited), .completion(.finished)])
        XCTAssertEqual(upstream.calls, [.cancel])
    }

    func test_prefixOfNothingBetweenOtherStepsFinishesAtOnce() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<String, TestFailure>.checked(.unlimited)
        upstream.map { $0 + 1 }.prefix(0).prefix(2).map { "\($0)" }.prefix(0).subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Output"), .request(.unlimited), .completion(.finished)])
        XCTAssertEqual(upstream.calls, [.cancel])
    }

    func test_prefixOfNothingReportsAFailureThatComesAnyway() {
        let upstream = TestPublisher<Int, TestFailure>(keepsSubscribers: true)
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.prefix(0).subscribe(subscriber)
        let reported = Atomic(0)
        Undeliverables.observe { _ in reported.add(1, ordering: .relaxed) }
        defer { Undeliverables.observe(nil) }
        upstream.force(1)
        upstream.force(completion: .failure(.first))
        XCTAssertEqual(reported.load(ordering: .relaxed), 1)
        XCTAssertEqual(subscriber.values, [])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_prefixOfNothingIsSilentForASubscriberThatCancelsAtOnce() {
        let upstream = TestPublisher<Int, TestFailure>()
        var events: [String] = []
        upstream.prefix(0).subscribe(
            AnySubscriber<Int, TestFailure>(
                receiveSubscription: { $0.cancel() },
                receiveValue: { _ in
                    events.append("value")
                    return .none
                }, receiveCompletion: { _ in events.append("completion") }))
        XCTAssertEqual(events, [])
        XCTAssertEqual(upstream.calls, [.cancel])
    }

    func test_publishesTheValuesAtPositions() {
        let letters = Values(["a", "b", "c", "d"])
        XCTAssertEqual(outcome(of: letters.output(in: 1..<3)).values, ["b", "c"])
        XCTAssertEqual(outcome(of: letters.output(in: 1...2)).values, ["b", "c"])
        XCTAssertEqual(outcome(of: letters.output(in: 2...)).values, ["c", "d"])
        XCTAssertEqual(outcome(of: letters.output(in: ..<2)).values, ["a", "b"])
        XCTAssertEqual(outcome(of: letters.output(in: ...2)).values, ["a", "b", "c"])
        XCTAssertEqual(outcome(of: letters.output(at: 1)).values, ["b"])
        XCTAssertEqual(outcome(of: letters.output(at: 4)).values, [])
    }

    func test_rangesUpToTheGreatestNumberDoNotOverflow() {
        XCTAssertEqual(outcome(of: Values(1...3).output(in: 1...Int.max)).values, [2, 3])
        XCTAssertEqual(outcome(of: Values(1...3).output(in: ...Int.max)).values, [1, 2, 3])
        XCTAssertEqual(outcome(of: Values(1...3).output(at: .max)).values, [])
        XCTAssertEqual(outcome(of: Values(1...3).prefix(.max)).values, [1, 2, 3])
    }

    func test_requestsOneMoreForEachValueBeforeTheFirstPosition() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        upstream.output(in: 1...).subscribe(subscriber)
        XCTAssertEqual(upstream.answer(to: 1), .max(1))
        XCTAssertEqual(upstream.answer(to: 2), .none)
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .answer(.max(1))])
    }

    func test_doesNotFinishWhenCancelledFromInsideTheLastValue() {
        let subscriber = TestSubscriber<Int, Never>.checked(.cancelling(atValue: 1))
        Values(1...5).prefix(1).subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Output"), .request(.unlimited), .value(1), .cancel])
    }

    func test_countsForEachSubscriberByItself() {
        let two = Values(1...5).prefix(2)
        XCTAssertEqual(outcome(of: two).values, [1, 2])
        XCTAssertEqual(outcome(of: two).values, [1, 2])
    }

    func test_stepsDownstreamSeeTheLastValueToo() {
        XCTAssertEqual(outcome(of: Values(1...5).prefix(3).filter { $0 != 3 }.map { $0 * 10 }).values, [10, 20])
        XCTAssertTrue(outcome(of: Values(1...5).prefix(3).filter { $0 != 3 }).hasFinished)
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.prefix(7) }
        checkStep { $0.output(in: 0...) }
    }
}
