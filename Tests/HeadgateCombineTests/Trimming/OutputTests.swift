import HeadgateCombine
import TestSupport
import XCTest

final class OutputTests: XCTestCase {
    func test_prefixPublishesTheFirstValuesAndCancelsUpstreamBehindThem() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.prefix(2).subscribe(recorder)
        upstream.send(1)
        XCTAssertEqual(upstream.cancelCount, 0)
        upstream.send(2)
        upstream.send(3)
        XCTAssertEqual(
            recorder.events, [.subscription("Output"), .value(1), .value(2), .completion(.finished)])
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_finishesBehindTheLastValueWithoutFurtherDemand() {
        let recorder = Recorder<Int, Never>(demand: .max(2))
        Values(1...5).prefix(2).subscribe(recorder)
        XCTAssertEqual(recorder.values, [1, 2])
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_finishesWithUpstreamWhereThatIsShorter() {
        let recorder = outcome(of: Values(1...2).prefix(5))
        XCTAssertEqual(recorder.values, [1, 2])
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_prefixOfNothingFinishesAtOnceAndAsksForNothing() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        upstream.prefix(0).subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("Output"), .completion(.finished)])
        XCTAssertEqual(upstream.calls, [.cancel])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_prefixOfNothingIsSilentForWhoeverCancelsAtOnce() {
        let upstream = HandPublisher<Int, TestFailure>()
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

    func test_asksUpstreamForOneMoreForEachValueBeforeTheFirstPosition() {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .max(1))
        upstream.output(in: 1...).subscribe(recorder)
        XCTAssertEqual(upstream.send(1), .max(1))
        XCTAssertEqual(upstream.send(2), .none)
        XCTAssertEqual(upstream.calls, [.request(.max(1))])
    }

    func test_doesNotFinishWhenCancelledFromInsideTheLastValue() {
        let recorder = Recorder<Int, Never>(demand: .unlimited) { recorder, _ in
            recorder.cancel()
            return .none
        }
        Values(1...5).prefix(1).subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("Output"), .value(1)])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_countsForEachSubscriberByItself() {
        let two = Values(1...5).prefix(2)
        XCTAssertEqual(outcome(of: two).values, [1, 2])
        XCTAssertEqual(outcome(of: two).values, [1, 2])
    }

    func test_stepsBehindItSeeTheLastValueToo() {
        XCTAssertEqual(outcome(of: Values(1...5).prefix(3).filter { $0 != 3 }.map { $0 * 10 }).values, [10, 20])
        XCTAssertTrue(outcome(of: Values(1...5).prefix(3).filter { $0 != 3 }).hasFinished)
    }

    func test_keepsTheRulesOfSteps() {
        checkStep { $0.prefix(7) }
        checkStep { $0.output(in: 0...) }
    }
}
