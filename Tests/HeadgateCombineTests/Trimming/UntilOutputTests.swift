import HeadgateCombine
import TestSupport
import XCTest

final class UntilOutputTests: XCTestCase {
    private typealias Hand = HandPublisher<Int, TestFailure>

    func test_prefixFinishesAtTheFirstOutput() {
        let upstream = Hand()
        let other = Hand()
        let recorder = Recorder<Int, TestFailure>(demand: .max(5))
        upstream.prefix(untilOutputFrom: other).subscribe(recorder)
        XCTAssertEqual(other.calls, [.request(.max(1))])
        XCTAssertEqual(upstream.calls, [.request(.max(5))])
        upstream.send(1)
        other.send(0)
        upstream.send(2)
        XCTAssertEqual(recorder.values, [1])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual([upstream.cancelCount, other.cancelCount], [1, 1])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_prefixDoesNotMindTheCompletionOfTheOther() {
        for completion in [Subscribers.Completion<TestFailure>.finished, .failure(.second)] {
            let upstream = Hand()
            let other = Hand()
            let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
            upstream.prefix(untilOutputFrom: other).subscribe(recorder)
            other.send(completion: completion)
            upstream.send(1)
            upstream.send(completion: .failure(.first))
            XCTAssertEqual(recorder.values, [1])
            XCTAssertEqual(recorder.failure, .first)
            XCTAssertEqual([upstream.cancelCount, other.cancelCount], [0, 0])
        }
    }

    func test_prefixFinishesWhereTheOtherAnswersAtOnce() {
        let upstream = Hand()
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.prefix(untilOutputFrom: Just(0)).subscribe(recorder)
        XCTAssertEqual(recorder.events.count, 2)
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_prefixOfASequenceIsTheWholeSequence() {
        let other = PassthroughSubject<Int, Never>()
        let recorder = Recorder<Int, Never>(demand: .max(1)) { recorder, value in
            if value == 50_000 { other.send(0) }
            return .max(1)
        }
        (1...100_000).publisher.prefix(untilOutputFrom: other).subscribe(recorder)
        XCTAssertEqual(recorder.values.count, 50_000)
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_dropBeginsAtTheFirstOutputAndMakesUpForWhatItDrops() {
        let upstream = Hand()
        let other = Hand()
        let recorder = Recorder<Int, TestFailure>(demand: .max(2))
        upstream.drop(untilOutputFrom: other).subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("DropUntilOutput")])
        XCTAssertEqual(other.calls, [.request(.max(1))])
        XCTAssertEqual(upstream.send(1), .max(1))
        other.send(0)
        XCTAssertEqual(other.cancelCount, 1)
        XCTAssertEqual(upstream.send(2), .none)
        XCTAssertEqual(upstream.requested, .max(2))
        upstream.finish()
        XCTAssertEqual(recorder.values, [2])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_dropFailsWithTheOtherOnlyBeforeItHasPublished() {
        let upstream = Hand()
        let other = Hand()
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.drop(untilOutputFrom: other).subscribe(recorder)
        other.send(completion: .failure(.second))
        XCTAssertEqual(recorder.failure, .second)
        XCTAssertEqual([upstream.cancelCount, other.cancelCount], [1, 0])

        let second = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.drop(untilOutputFrom: other).subscribe(second)
        other.finish()
        upstream.send(1)
        upstream.finish()
        XCTAssertEqual(second.values, [])
        XCTAssertTrue(second.hasFinished)
        XCTAssertEqual(recorder.breaches + second.breaches, [])
    }

    func test_cancelInsideADeliveryReachesBoth() {
        for isDropping in [true, false] {
            let upstream = Hand()
            let other = Hand()
            var recorder: Recorder<Int, TestFailure>? = Recorder(demand: .unlimited) { recorder, _ in
                recorder.cancel()
                return .none
            }
            weak let weakRecorder = recorder
            recorder.map {
                if isDropping {
                    upstream.drop(untilOutputFrom: other).subscribe($0)
                    other.send(0)
                } else {
                    upstream.prefix(untilOutputFrom: other).subscribe($0)
                }
            }
            upstream.send(1)
            upstream.send(2)
            XCTAssertEqual(recorder?.values, [1])
            XCTAssertEqual([upstream.cancelCount, other.cancelCount], [1, 1])
            recorder = nil
            XCTAssertNil(weakRecorder)
        }
    }

    func test_isSerialWhenTheOtherIsOnAnotherThread() {
        for _ in 0..<100 {
            let upstream = PassthroughSubject<Int, Never>()
            let other = PassthroughSubject<Int, Never>()
            let recorder = Recorder<Int, Never>(demand: .unlimited)
            upstream.prefix(untilOutputFrom: other).subscribe(recorder)
            onThreads(2) { index in
                if index == 0 { for value in 0..<100 { upstream.send(value) } } else { other.send(0) }
            }
            XCTAssertTrue(recorder.hasFinished)
            XCTAssertEqual(recorder.breaches, [])
        }
    }

    func test_endsWhileUpstreamIsBusyWithItsFirstRequest() {
        let other = PassthroughSubject<Void, Never>()
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        var hasFinished = false
        // Reading the third number takes long, and meanwhile the other publisher speaks.
        let numbers = sequence(first: 1) { number in
            if number == 2 {
                other.send()
                hasFinished = recorder.hasFinished
            }
            return number + 1
        }
        numbers.publisher.prefix(untilOutputFrom: other).subscribe(recorder)
        XCTAssertTrue(hasFinished)
        XCTAssertEqual(recorder.values, [1, 2])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_dropFinishesWhereTheOtherFinishesWithoutAValue() {
        let upstream = Hand()
        let other = Hand()
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.drop(untilOutputFrom: other).subscribe(recorder)
        upstream.send(1)
        other.finish()
        XCTAssertEqual(recorder.values, [])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_dropFinishesWhereTheOtherHasNothingAtAll() {
        let upstream = Hand()
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.drop(untilOutputFrom: Empty<Int, TestFailure>()).subscribe(recorder)
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(recorder.breaches, [])
    }
}
