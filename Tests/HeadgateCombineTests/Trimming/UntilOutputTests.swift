import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class UntilOutputTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>

    func test_prefixFinishesAtTheFirstOutput() {
        let upstream = Hand(keepsSubscribers: true)
        let other = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(5))
        upstream.prefix(untilOutputFrom: other).subscribe(subscriber)
        XCTAssertEqual(other.calls, [.request(.max(1))])
        XCTAssertEqual(upstream.calls, [.request(.max(5))])
        upstream.send(1)
        other.send(0)
        upstream.force(2)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual([upstream.cancelCount, other.cancelCount], [1, 1])
    }

    func test_prefixDoesNotMindTheCompletionOfTheOther() {
        for completion in [Subscribers.Completion<TestFailure>.finished, .failure(.second)] {
            let upstream = Hand()
            let other = Hand()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            upstream.prefix(untilOutputFrom: other).subscribe(subscriber)
            other.send(completion: completion)
            upstream.send(1)
            upstream.send(completion: .failure(.first))
            XCTAssertEqual(subscriber.values, [1])
            XCTAssertEqual(subscriber.failure, .first)
            XCTAssertEqual([upstream.cancelCount, other.cancelCount], [0, 0])
        }
    }

    func test_prefixFinishesWhereTheOtherAnswersAtOnce() {
        let upstream = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.prefix(untilOutputFrom: Just(0)).subscribe(subscriber)
        XCTAssertEqual(
            subscriber.events, [.subscription("PrefixUntilOutput"), .request(.unlimited), .completion(.finished)])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_prefixOfASequenceIsTheWholeSequence() {
        let other = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(1)) { subscriber, value in
            if value == 50_000 { other.send(0) }
            return .max(1)
        }
        (1...100_000).publisher.prefix(untilOutputFrom: other).subscribe(subscriber)
        XCTAssertEqual(subscriber.values.count, 50_000)
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_dropBeginsAtTheFirstOutputAndMakesUpForWhatItDrops() {
        let upstream = Hand()
        let other = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        upstream.drop(untilOutputFrom: other).subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("DropUntilOutput"), .request(.max(2))])
        XCTAssertEqual(other.calls, [.request(.max(1))])
        XCTAssertEqual(upstream.answer(to: 1), .max(1))
        other.send(0)
        XCTAssertEqual(other.cancelCount, 1)
        XCTAssertEqual(upstream.answer(to: 2), .none)
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .answer(.max(1))])
        upstream.finish()
        XCTAssertEqual(subscriber.values, [2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_dropFailsWithTheOtherOnlyBeforeItHasPublished() {
        let upstream = Hand()
        let other = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.drop(untilOutputFrom: other).subscribe(subscriber)
        other.send(completion: .failure(.second))
        XCTAssertEqual(subscriber.failure, .second)
        XCTAssertEqual([upstream.cancelCount, other.cancelCount], [1, 0])

        let second = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.drop(untilOutputFrom: other).subscribe(second)
        other.finish()
        upstream.send(1)
        upstream.finish()
        XCTAssertEqual(second.values, [])
        XCTAssertTrue(second.hasFinished)
    }

    func test_cancelInsideADeliveryReachesBoth() {
        for isDropping in [true, false] {
            let upstream = Hand()
            let other = Hand()
            var subscriber: TestSubscriber<Int, TestFailure>? = TestSubscriber.checked(.cancelling(atValue: 1))
            weak let weakSubscriber = subscriber
            subscriber.map {
                if isDropping {
                    upstream.drop(untilOutputFrom: other).subscribe($0)
                    other.send(0)
                } else {
                    upstream.prefix(untilOutputFrom: other).subscribe($0)
                }
            }
            upstream.send(1)
            upstream.send(2)
            XCTAssertEqual(subscriber?.values, [1])
            XCTAssertEqual([upstream.cancelCount, other.cancelCount], [1, 1])
            subscriber = nil
            XCTAssertNil(weakSubscriber)
        }
    }

    func test_isSerialWhenTheOtherIsOnAnotherThread() {
        for _ in 0..<100 {
            let upstream = PassthroughSubject<Int, Never>()
            let other = PassthroughSubject<Int, Never>()
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            upstream.prefix(untilOutputFrom: other).subscribe(subscriber)
            onThreads(2) { index in
                if index == 0 { for value in 0..<100 { upstream.send(value) } } else { other.send(0) }
            }
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_endsWhileUpstreamIsBusyWithItsFirstRequest() {
        let other = PassthroughSubject<Void, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        var hasFinished = false
        // Reading the third number takes long, and meanwhile the other publisher speaks.
        let numbers = sequence(first: 1) { number in
            if number == 2 {
                other.send()
                hasFinished = subscriber.hasFinished
            }
            return number + 1
        }
        numbers.publisher.prefix(untilOutputFrom: other).subscribe(subscriber)
        XCTAssertTrue(hasFinished)
        XCTAssertEqual(subscriber.values, [1, 2])
    }

    func test_dropFinishesWhereTheOtherFinishesWithoutAValue() {
        let upstream = Hand()
        let other = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.drop(untilOutputFrom: other).subscribe(subscriber)
        upstream.send(1)
        other.finish()
        XCTAssertEqual(subscriber.values, [])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_dropFinishesWhereTheOtherHasNothingAtAll() {
        let upstream = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.drop(untilOutputFrom: Empty<Int, TestFailure>()).subscribe(subscriber)
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(upstream.cancelCount, 1)
    }
}
