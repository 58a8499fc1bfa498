import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class WithLatestFromTests: XCTestCase {
    func test_takesTheMostRecentValueOfTheOther() {
        let (upstream, other) = (TestPublisher<Int, TestFailure>(), TestPublisher<Int, TestFailure>())
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        upstream.withLatestFrom(other) { $0 * 10 + $1 }.subscribe(subscriber)
        XCTAssertEqual(upstream.requested, .max(2))
        XCTAssertEqual(other.requested, .unlimited)
        upstream.send(1)
        XCTAssertEqual(upstream.requested, .max(3), "one more for the one that found nothing")
        other.send(1)
        other.send(2)
        upstream.send(3)
        other.finish()
        upstream.send(4)
        XCTAssertEqual(subscriber.values, [32, 42])
        XCTAssertEqual(upstream.outstanding, .none)
        upstream.finish()
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_whatTheOtherSendsAfterItsEndIsNotTaken() {
        let upstream = TestPublisher<Int, TestFailure>()
        let other = TestPublisher<Int, TestFailure>(keepsSubscribers: true)
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.withLatestFrom(other).subscribe(subscriber)
        other.send(1)
        other.finish()
        other.force(2)
        upstream.send(0)
        XCTAssertEqual(subscriber.values, [1])
    }

    func test_endsWithUpstreamAndFailsWithEither() {
        for fails in [true, false] {
            let (upstream, other) = (TestPublisher<Int, TestFailure>(), TestPublisher<Int, TestFailure>())
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            upstream.withLatestFrom(other).subscribe(subscriber)
            if fails { other.fail(.first) } else { upstream.finish() }
            XCTAssertEqual(subscriber.failure, fails ? .first : nil)
            XCTAssertEqual(subscriber.hasFinished, !fails)
            XCTAssertEqual([upstream.cancelCount, other.cancelCount], fails ? [1, 0] : [0, 1])
        }
    }

    func test_whatTheOtherHasAtOnceIsThereForTheFirstValue() {
        let subscriber = TestSubscriber<String, Never>.checked(.unlimited)
        CurrentValueSubject<Int, Never>(1).withLatestFrom(Just("a")) { "\($0)\($1)" }.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, ["1a"])
    }

    func test_takesUpToThreeOthers() {
        let others = (1...3).map { CurrentValueSubject<Int, Never>($0) }
        let taps = PassthroughSubject<String, Never>()
        var received: [String] = []
        var cancellables: [AnyCancellable] = []
        taps.withLatestFrom(others[0], others[1]) { "\($0)\($1)" }.sink { received.append($0) }.store(in: &cancellables)
        taps.withLatestFrom(others[0], others[1], others[2]) { "\($0)\($1)" }.sink { received.append($0) }
            .store(in: &cancellables)
        taps.withLatestFrom(others[0], others[1]).sink { received.append("\($0)") }.store(in: &cancellables)
        taps.withLatestFrom(others[0], others[1], others[2]).sink { received.append("\($0)") }.store(in: &cancellables)
        taps.withLatestFrom(others[0]).sink { received.append("\($0)") }.store(in: &cancellables)
        others[1].send(7)
        taps.send("t")
        XCTAssertEqual(received, ["t(1, 7)", "t(1, 7, 3)", "(1, 7)", "(1, 7, 3)", "1"])
    }

    func test_carriesAMillionValues() {
        let subscriber = CountingSubscriber<Int, Never>()
        (0..<1_000_000).publisher.withLatestFrom(Just(1), resultSelector: +).subscribe(subscriber)
        XCTAssertEqual(subscriber.count, 1_000_000)
        XCTAssertEqual(subscriber.last, 1_000_000)
        XCTAssertTrue(subscriber.hasFinished)
    }
}

final class SampleOnTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>

    func test_takesEachValueOnceAtMost() {
        let (upstream, trigger) = (Hand(), Hand())
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        upstream.sample(on: trigger).subscribe(subscriber)
        XCTAssertEqual(upstream.requested, .unlimited)
        XCTAssertEqual(trigger.requested, .max(2))
        trigger.send(0)
        XCTAssertEqual(trigger.requested, .max(3))
        upstream.send(1)
        upstream.send(2)
        trigger.send(0)
        trigger.send(0)
        upstream.send(3)
        trigger.send(0)
        XCTAssertEqual(subscriber.values, [2, 3])
    }

    func test_theLastValueWaitsForTheTriggerAndThenTheStreamFinishes() {
        let (upstream, trigger) = (Hand(), Hand())
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.sample(on: trigger).subscribe(subscriber)
        upstream.send(1)
        upstream.finish()
        XCTAssertNil(subscriber.completion)
        trigger.send(0)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(trigger.cancelCount, 1)
    }

    func test_endsAtOnceWithTheTriggerOrWithNothingToTake() {
        for triggerEnds in [true, false] {
            let (upstream, trigger) = (Hand(), Hand())
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            upstream.sample(on: trigger).subscribe(subscriber)
            if triggerEnds { trigger.finish() } else { upstream.finish() }
            XCTAssertTrue(subscriber.hasFinished)
            let other = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            let (failing, second) = (Hand(), Hand())
            failing.sample(on: second).subscribe(other)
            failing.send(1)
            if triggerEnds { second.fail(.first) } else { failing.fail(.first) }
            XCTAssertEqual(other.failure, .first)
        }
    }
}
