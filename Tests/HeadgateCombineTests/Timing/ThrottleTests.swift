import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class ThrottleTests: XCTestCase {
    private let scheduler = TestScheduler()
    private let upstream = TestPublisher<Int, TestFailure>()
    private let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)

    func test_publishesTheFirstValueAndThenTheLatestOfEachInterval() {
        upstream.throttle(for: 2, scheduler: scheduler, latest: true).subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Throttle"), .request(.unlimited)])
        upstream.send(1)
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [1])
        for value in 2...4 { upstream.send(value) }
        scheduler.advance(by: 1)
        upstream.send(5)
        scheduler.advance(by: .milliseconds(999))
        XCTAssertEqual(subscriber.values, [1])
        scheduler.advance(by: .milliseconds(1))
        XCTAssertEqual(subscriber.values, [1, 5])
    }

    func test_publishesTheEarliestValueOfEachInterval() {
        upstream.throttle(for: 2, scheduler: scheduler, latest: false).subscribe(subscriber)
        upstream.send(1)
        scheduler.runDue()
        upstream.send(2)
        scheduler.advance(by: 1)
        upstream.send(3)
        scheduler.advance(by: 1)
        XCTAssertEqual(subscriber.values, [1, 2])
    }

    func test_publishesOneValueOfABurstThatComesBeforeTheScheduler() {
        for (latest, chosen) in [(true, 3), (false, 1)] {
            let upstream = TestPublisher<Int, TestFailure>()
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            upstream.throttle(for: 2, scheduler: scheduler, latest: latest).subscribe(subscriber)
            for value in 1...3 { upstream.send(value) }
            upstream.finish()
            scheduler.runUntilIdle()
            XCTAssertEqual(subscriber.values, [chosen])
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_doesNotKeepTheLastValueForEver() {
        upstream.throttle(for: 2, scheduler: scheduler, latest: true).subscribe(subscriber)
        upstream.send(1)
        scheduler.runDue()
        upstream.send(2)
        scheduler.advance(by: 2)
        XCTAssertEqual(subscriber.values, [1, 2])
        scheduler.advance(by: 10)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_publishesAtOnceWhatArrivesWhenTheIntervalHasJustPassed() {
        upstream.throttle(for: 2, scheduler: scheduler, latest: true).subscribe(subscriber)
        upstream.send(1)
        scheduler.advance(by: 2)
        upstream.send(2)
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [1, 2])
        scheduler.advance(by: .nanoseconds(1_999_999_999))
        upstream.send(3)
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [1, 2])
        scheduler.advance(by: .nanoseconds(1))
        XCTAssertEqual(subscriber.values, [1, 2, 3])
    }

    func test_finishesAtOnceWhenNothingWaits() {
        upstream.throttle(for: 2, scheduler: scheduler, latest: true).subscribe(subscriber)
        upstream.send(1)
        scheduler.runDue()
        upstream.finish()
        scheduler.runDue()
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_finishesAfterTheValueThatWaitsForItsTime() {
        upstream.throttle(for: 2, scheduler: scheduler, latest: true).subscribe(subscriber)
        upstream.send(1)
        scheduler.runDue()
        upstream.send(2)
        upstream.finish()
        scheduler.advance(by: 1)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertFalse(subscriber.hasFinished)
        scheduler.advance(by: 1)
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_publishesTheValueThatWaitsAheadOfAFailureAtOnce() {
        upstream.throttle(for: 2, scheduler: scheduler, latest: true).subscribe(subscriber)
        upstream.send(1)
        scheduler.runDue()
        upstream.send(2)
        upstream.send(completion: .failure(.first))
        scheduler.runDue()
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_requestsEverythingAndKeepsAValueUntilItIsRequested() {
        for (latest, kept) in [(true, 3), (false, 1)] {
            let upstream = TestPublisher<Int, TestFailure>()
            let subscriber = TestSubscriber<Int, TestFailure>.checked()
            upstream.throttle(for: 2, scheduler: scheduler, latest: latest).subscribe(subscriber)
            XCTAssertEqual(upstream.calls, [.request(.unlimited)])
            for value in 1...3 {
                upstream.send(value)
                scheduler.advance(by: 2)
            }
            subscriber.request(1)
            scheduler.runDue()
            XCTAssertEqual(subscriber.values, [kept])
        }
    }

    func test_cancelsUpstreamOnceAndReleasesWhatWaits() {
        let living = Tracked.count
        let upstream = TestPublisher<Tracked, Never>()
        let cancellable = upstream.throttle(for: 2, scheduler: scheduler, latest: false)
            .sink { [tracked = Tracked()] _ in _ = tracked }
        upstream.send(Tracked())
        upstream.send(Tracked())
        XCTAssertEqual(Tracked.count, living + 2)
        cancellable.cancel()
        XCTAssertEqual(Tracked.count, living)
        XCTAssertEqual(upstream.calls, [.request(.unlimited), .cancel])
        scheduler.runUntilIdle()
    }

    func test_deliversNothingAfterCancelInsideADelivery() {
        let upstream = TestPublisher<Int, TestFailure>(keepsSubscribers: true)
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.cancelling(atValue: 1))
        upstream.throttle(for: 2, scheduler: scheduler, latest: true).subscribe(subscriber)
        upstream.send(1)
        scheduler.runDue()
        upstream.force(2)
        scheduler.runUntilIdle()
        XCTAssertEqual(subscriber.values, [1])
    }

    func test_isFlatWhenEachValueBringsTheNext() {
        let subject = PassthroughSubject<Int, Never>()
        var count = 0
        let cancellable = subject.throttle(for: 1, scheduler: ImmediateScheduler.shared, latest: true).sink {
            count = $0
            if $0 < 10_000 { subject.send($0 + 1) }
        }
        subject.send(1)
        XCTAssertEqual(count, 10_000)
        cancellable.cancel()
    }

    func test_losesNothingWhileTheOperatorBehindItConnects() {
        let throttled = [1, 2].publisher.throttle(for: 1, scheduler: ImmediateScheduler.shared, latest: true)
        var values: [Int] = []
        _ = throttled.flatMap { Just($0) }.sink { values.append($0) }
        XCTAssertEqual(values, [1, 2])
    }

    func test_requestsFromASequenceWithTheFirstDemandAndFromASubjectAtOnce() {
        var requests: [Subscribers.Demand] = []
        let cold = TestSubscriber<Int, Never>.checked()
        [1, 2].publisher.handleEvents(receiveRequest: { requests.append($0) })
            .throttle(for: 1, scheduler: ImmediateScheduler.shared, latest: true).subscribe(cold)
        XCTAssertEqual(requests, [])
        cold.request(.max(1))
        XCTAssertEqual(requests, [.unlimited])
        XCTAssertEqual(cold.values, [1])
        cold.cancel()
        requests = []
        let hot = TestSubscriber<Int, Never>.checked()
        PassthroughSubject<Int, Never>().handleEvents(receiveRequest: { requests.append($0) })
            .throttle(for: 1, scheduler: ImmediateScheduler.shared, latest: true).subscribe(hot)
        XCTAssertEqual(requests, [.unlimited])
        hot.cancel()
    }
}
