import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class StallTests: XCTestCase {
    func test_theTimerIsTakenBackWithTheStream() {
        for ending in 0...2 {
            let time = TestScheduler()
            let source = PassthroughSubject<Int, Never>()
            let watched = source.onStall(for: .seconds(5), scheduler: time) { _ in }.prefix(2).sink { _ in }
            XCTAssertEqual(time.unfinished.count, 1)
            switch ending {
            case 0: watched.cancel()
            case 1: source.send(completion: .finished)
            default: (1...2).forEach { source.send($0) }
            }
            XCTAssertEqual(time.unfinished, [])
        }
    }

    private let scheduler = TestScheduler()
    private let upstream = TestPublisher<Int, TestFailure>()
    private var stalls: [StreamStall] = []

    private func connect(_ script: DemandScript) -> TestSubscriber<Int, TestFailure> {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(script)
        upstream.onStall(for: 5, scheduler: scheduler) { self.stalls.append($0) }.subscribe(subscriber)
        return subscriber
    }

    func test_saysWhichSideIsWaitingAndSaysItOnce() {
        let subscriber = connect(.first(1))
        scheduler.advance(by: 100)
        XCTAssertEqual(stalls, [.noValues])
        upstream.send(1)
        scheduler.advance(by: 100)
        XCTAssertEqual(stalls, [.noValues, .noDemand])
        subscriber.request(.max(1))
        scheduler.advance(by: 100)
        XCTAssertEqual(stalls, [.noValues, .noDemand, .noValues])
        XCTAssertEqual(scheduler.unfinished, [], "no alarm is set while a stall lasts")
    }

    func test_aStreamThatMovesIsLeftInPeace() {
        _ = connect(.unlimited)
        for value in 0..<50 {
            upstream.send(value)
            scheduler.advance(by: 4)
        }
        XCTAssertEqual(stalls, [])
        XCTAssertEqual(scheduler.unfinished.count, 1)
    }

    func test_saysNothingAfterTheEndAndAfterCancel() {
        connect(.unlimited).cancel()
        _ = connect(.unlimited)
        upstream.fail(.first)
        scheduler.advance(by: 100)
        XCTAssertEqual(stalls, [])
    }

    func test_releasesEverythingThoughAnAlarmIsSet() {
        let living = Tracked.count
        do {
            let tracked = Tracked()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            upstream.onStall(for: 5, scheduler: scheduler) { _ in withExtendedLifetime(tracked) {} }
                .subscribe(subscriber)
            subscriber.cancel()
        }
        XCTAssertEqual(Tracked.count, living)
    }
}

final class UndeliverableTests: XCTestCase {
    func test_reportsWhatComesAfterTheEndAndAfterCancel() {
        var reported: [Event<Int, TestFailure>] = []
        let upstream = TestPublisher<Int, TestFailure>(keepsSubscribers: true)
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(2))
        upstream.onUndeliverable { reported.append($0) }.subscribe(subscriber)
        upstream.send(1)
        XCTAssertEqual(reported, [])
        subscriber.cancel()
        upstream.force(2)
        upstream.force(completion: .failure(.first))
        upstream.force(completion: .finished)
        XCTAssertEqual(reported, [.value(2), .failure(.first), .finished])
        XCTAssertEqual(subscriber.values, [1])
    }

    func test_passesTheEndOnOnce() {
        var reported: [Event<Int, TestFailure>] = []
        let upstream = TestPublisher<Int, TestFailure>(keepsSubscribers: true)
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.onUndeliverable { reported.append($0) }.subscribe(subscriber)
        upstream.fail(.first)
        upstream.force(completion: .failure(.second))
        XCTAssertEqual(subscriber.failure, .first)
        XCTAssertEqual(reported, [.failure(.second)])
    }
}

extension StallTests {
    func test_leavesNoAlarmBehind() {
        for ends in [true, false] {
            let scheduler = TestScheduler()
            let upstream = TestPublisher<Int, Never>()
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            upstream.onStall(for: 5, scheduler: scheduler) { _ in XCTFail("no stall") }.subscribe(subscriber)
            upstream.send(1)
            scheduler.advance(by: 5)
            if ends { upstream.finish() } else { subscriber.cancel() }
            XCTAssertEqual(scheduler.unfinished, [])
        }
    }
}
