import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class MergeDelayingFailuresTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>
    private typealias Failures = CollectedFailures<TestFailure>

    func test_theOthersGoOnAfterAFailure() {
        let hands = (0..<3).map { _ in Hand() }
        let subscriber = TestSubscriber<Int, Failures>.checked(.unlimited)
        hands.mergeDelayingFailures().subscribe(subscriber)
        hands[0].send(1)
        hands[0].fail(.first)
        hands[1].send(2)
        hands[1].finish()
        hands[2].send(3)
        XCTAssertNil(subscriber.completion)
        hands[2].fail(.second)
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        XCTAssertEqual(subscriber.failure?.all, [.first, .second])
        XCTAssertEqual(subscriber.failure?.first, .first)
        XCTAssertEqual(hands.map(\.cancelCount), [0, 0, 0])
    }

    func test_finishesIfNoneHasFailed() {
        let (first, second) = (Hand(), Hand())
        let subscriber = TestSubscriber<Int, Failures>.checked(.unlimited)
        first.mergeDelayingFailures(with: second).subscribe(subscriber)
        first.finish()
        second.finish()
        XCTAssertTrue(subscriber.hasFinished)
        let none = TestSubscriber<Int, Failures>.checked(.none)
        [Hand]().mergeDelayingFailures().subscribe(none)
        XCTAssertTrue(none.hasFinished)
    }

    func test_forwardsDemandAsMergeDoes() {
        let (first, second) = (Hand(), Hand())
        let subscriber = TestSubscriber<Int, Failures>.checked(.none)
        first.mergeDelayingFailures(with: second).subscribe(subscriber)
        XCTAssertEqual(first.calls, [])
        subscriber.request(.max(1))
        XCTAssertEqual(first.requested, .max(1))
        first.send(1)
        first.fail(.first)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertNil(subscriber.completion)
        second.finish()
        XCTAssertEqual(subscriber.failure?.all, [.first], "the failure waits for no demand")
    }

    func test_everySubscriberHasFailuresOfItsOwn() {
        let both = Fail<Int, TestFailure>(error: .first).mergeDelayingFailures(
            with: Fail<Int, TestFailure>(error: .second))
        for _ in 1...2 {
            let subscriber = TestSubscriber<Int, Failures>.checked(.none)
            both.subscribe(subscriber)
            XCTAssertEqual(subscriber.failure?.all, [.first, .second])
            XCTAssertEqual(subscriber.failure.map { "\($0)" }, "first, second")
        }
    }
}

final class MergeDelayingFailuresConcurrencyTests: XCTestCase {
    func test_failuresOfManyThreadsAreAllReported() {
        for _ in 0..<Scale.reduced(200) {
            let subjects = (0..<4).map { _ in PassthroughSubject<Int, TestFailure>() }
            let subscriber = TestSubscriber<Int, CollectedFailures<TestFailure>>.checked(.unlimited)
            subjects.mergeDelayingFailures().subscribe(subscriber)
            onThreads(4) { index in
                subjects[index].send(index)
                subjects[index].send(completion: .failure(.first))
            }
            XCTAssertEqual(subscriber.values.sorted(), [0, 1, 2, 3])
            XCTAssertEqual(subscriber.failure?.all.count, 4)
        }
    }
}
