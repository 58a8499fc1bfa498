import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class DelayTests: XCTestCase {
    private let scheduler = TestScheduler()
    private let upstream = TestPublisher<Int, TestFailure>()

    func test_deliversEverythingAnIntervalLater() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.delay(for: 2, scheduler: scheduler).subscribe(subscriber)
        XCTAssertEqual(subscriber.events, [.subscription("Delay"), .request(.unlimited)])
        upstream.send(1)
        scheduler.advance(by: 1)
        upstream.send(2)
        upstream.finish()
        scheduler.advance(by: .milliseconds(999))
        XCTAssertEqual(subscriber.values, [])
        scheduler.advance(by: .milliseconds(1))
        XCTAssertEqual(subscriber.values, [1])
        scheduler.advance(by: .milliseconds(999))
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertFalse(subscriber.hasFinished)
        scheduler.advance(by: .milliseconds(1))
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertTrue(subscriber.hasFinished)
    }

    /// Breaks rule 1.1: it sends before its subscription, or none at all.
    private struct Hasty: Publisher {
        typealias Output = Int
        typealias Failure = TestFailure

        let sendsSubscription: Bool

        func receive(subscriber: some Subscriber<Int, TestFailure>) {
            if sendsSubscription {
                _ = subscriber.receive(1)
                subscriber.receive(subscription: LoggingSubscription())
            }
            subscriber.receive(completion: .finished)
        }
    }

    func test_anUpstreamThatSendsBeforeItsSubscriptionLosesNothing() {
        let subscriber = TestSubscriber<Int, TestFailure>(.unlimited)
        Hasty(sendsSubscription: true).delay(for: 2, scheduler: scheduler).subscribe(subscriber)
        scheduler.advance(by: 2)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_anUpstreamThatCompletesWithoutASubscriptionIsReceived() {
        let subscriber = TestSubscriber<Int, TestFailure>(.unlimited)
        Hasty(sendsSubscription: false).delay(for: 2, scheduler: scheduler).subscribe(subscriber)
        scheduler.advance(by: 2)
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_delaysAFailureAfterTheValues() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.delay(for: 2, scheduler: scheduler).subscribe(subscriber)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        scheduler.advance(by: 1)
        XCTAssertNil(subscriber.failure)
        scheduler.advance(by: 1)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_forwardsDemandAtOnce() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .max(1)) { _, _ in .max(2) }
        upstream.delay(for: 2, scheduler: scheduler).subscribe(subscriber)
        XCTAssertEqual(upstream.answer(to: 1), .none)
        XCTAssertEqual(upstream.calls, [.request(.max(1))])
        scheduler.advance(by: 2)
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .request(.max(2))])
    }

    func test_setsOneAlarmForAllThatIsDueTogether() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let options = TestScheduler.SchedulerOptions(label: "options")
        upstream.delay(for: 2, tolerance: .milliseconds(5), scheduler: scheduler, options: options).subscribe(
            subscriber)
        var alarms: [TestScheduler.Unfinished] = []
        for value in 1...100 { upstream.send(value) }
        alarms += scheduler.unfinished
        scheduler.advance(by: 1)
        upstream.send(101)
        scheduler.advance(by: 1)
        alarms += scheduler.unfinished
        XCTAssertEqual(alarms.map(\.description), ["at 2s", "at 3s"])
        XCTAssertEqual(alarms.map(\.tolerance), [.milliseconds(5), .milliseconds(5)])
        XCTAssertEqual(alarms.map(\.options), [options, options])
        scheduler.runUntilIdle()
        XCTAssertEqual(scheduler.scheduledCount, 2)
        XCTAssertEqual(subscriber.values, Array(1...101))
    }

    func test_cancelsUpstreamOnceAndReleasesWhatWaits() {
        let living = Tracked.count
        let upstream = TestPublisher<Tracked, Never>()
        let cancellable = upstream.delay(for: 2, scheduler: scheduler).sink { [tracked = Tracked()] _ in _ = tracked }
        upstream.send(Tracked())
        XCTAssertEqual(Tracked.count, living + 2)
        cancellable.cancel()
        XCTAssertEqual(Tracked.count, living)
        XCTAssertEqual(upstream.cancelCount, 1)
        scheduler.runUntilIdle()
    }

    func test_deliversThoughNobodyHoldsTheSubscription() {
        var values: [Int] = []
        do {
            let subject = PassthroughSubject<Int, Never>()
            subject.delay(for: 2, scheduler: scheduler).subscribe(
                AnySubscriber(
                    receiveSubscription: { $0.request(.unlimited) },
                    receiveValue: {
                        values.append($0)
                        return .none
                    }))
            subject.send(1)
        }
        scheduler.advance(by: 2)
        XCTAssertEqual(values, [1])
    }

    func test_isFlatOnASchedulerThatWaitsForNothing() {
        let subscriber = TestSubscriber<Int, Never>.checked(.oneByOneReentrantly)
        (0..<20_000).publisher.delay(for: 1, scheduler: ImmediateScheduler.shared).subscribe(subscriber)
        XCTAssertEqual(subscriber.values.count, 20_000)
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_deliversEverythingThatFallsDueBeforeAnotherJob() {
        let upstream = TestPublisher<Int, Never>()
        let scheduler = TestScheduler()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        upstream.delay(for: 5, scheduler: scheduler).subscribe(subscriber)
        for value in 1...1000 { upstream.send(value) }
        var seen = 0
        scheduler.schedule(after: scheduler.now.advanced(by: 5)) { seen = subscriber.values.count }
        scheduler.advance(by: 5)
        XCTAssertEqual(seen, 1000)
    }
}
