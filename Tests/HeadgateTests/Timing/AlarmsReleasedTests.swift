import Dispatch
import Headgate
import HeadgateTesting
import XCTest

/// Alarms are released with the stream that set them.
final class AlarmsReleasedTests: XCTestCase {
    private final class Observed {
        weak var subscription: AnyObject?
        var cancel: () -> Void = {}
    }

    /// Subscribes, sends a value, ends the stream in one way, and looks whether anything of it is left.
    private func expectNothingLeft<P: Publisher>(
        cancelling: Bool, line: UInt = #line, _ make: (PassthroughSubject<Int, Never>) -> P
    ) {
        let observed = Observed()
        let subject = PassthroughSubject<Int, Never>()
        make(subject).subscribe(
            AnySubscriber(
                receiveSubscription: { subscription in
                    observed.subscription = subscription as AnyObject
                    observed.cancel = { subscription.cancel() }
                    subscription.request(.unlimited)
                },
                receiveValue: { _ in .none }, receiveCompletion: { _ in }))
        subject.send(1)
        subject.send(2)
        XCTAssertNotNil(observed.subscription, line: line)
        if cancelling { observed.cancel() } else { subject.send(completion: .finished) }
        observed.cancel = {}
        // What is due at once may be under way on the queue.
        waitUntil { observed.subscription == nil }
        XCTAssertNil(observed.subscription, line: line)
    }

    func test_timeOperatorsHoldNothingWhenCancelled() {
        let queue = DispatchQueue(label: "alarms")
        expectNothingLeft(cancelling: true) { $0.timeout(.seconds(3600), scheduler: queue) }
        expectNothingLeft(cancelling: true) { $0.debounce(for: .seconds(3600), scheduler: queue) }
        expectNothingLeft(cancelling: true) { $0.delay(for: .seconds(3600), scheduler: queue) }
        expectNothingLeft(cancelling: true) { $0.throttle(for: .seconds(3600), scheduler: queue, latest: true) }
        expectNothingLeft(cancelling: true) {
            $0.setFailureType(to: StreamTimeout.self)
                .timeout(between: .seconds(3600), total: .seconds(7200), scheduler: queue) { $0 }
        }
    }

    func test_timeoutAndDebounceHoldNothingWhenCompleted() {
        let queue = DispatchQueue(label: "alarms")
        expectNothingLeft(cancelling: false) { $0.timeout(.seconds(3600), scheduler: queue) }
        expectNothingLeft(cancelling: false) {
            $0.setFailureType(to: StreamTimeout.self)
                .timeout(between: .seconds(3600), total: .seconds(7200), scheduler: queue) { $0 }
        }
    }

    func test_timeOperatorsHoldNothingOfASchedulerThatKeepsItsAlarms() {
        let scheduler = KeepingScheduler()
        expectNothingLeft(cancelling: true) { $0.debounce(for: .seconds(3600), scheduler: scheduler) }
        expectNothingLeft(cancelling: true) { $0.delay(for: .seconds(3600), scheduler: scheduler) }
        XCTAssertEqual(scheduler.base.unfinished.count, 2, "and the scheduler keeps their alarms")
    }

    /// Subscribes, sends values, and checks that the alarm that is set is cancelled when the stream is cancelled and
    /// when it completes.
    private func expectNoAlarmLeft<P: Publisher>(
        value: Int = 1, line: UInt = #line, _ make: (TestPublisher<Int, Never>, TestScheduler) -> P
    ) {
        for cancels in [true, false] {
            let scheduler = TestScheduler()
            let upstream = TestPublisher<Int, Never>()
            let subscriber = TestSubscriber<P.Output, P.Failure>(.unlimited)
            make(upstream, scheduler).subscribe(subscriber)
            if upstream.subscriptionCount > 0 { upstream.send(value) }
            XCTAssertFalse(scheduler.unfinished.isEmpty, line: line)
            if cancels {
                subscriber.cancel()
            } else if upstream.subscriptionCount > 0 {
                upstream.finish()
            } else {
                continue
            }
            scheduler.runDue()
            XCTAssertEqual(scheduler.unfinished, [], line: line)
        }
    }

    func test_everyAlarmIsCancelledWithItsStream() {
        expectNoAlarmLeft { $0.timeout(.seconds(10), scheduler: $1) }
        expectNoAlarmLeft { upstream, scheduler in
            upstream.setFailureType(to: StreamTimeout.self)
                .timeout(between: .seconds(10), total: .seconds(20), scheduler: scheduler) { $0 }
        }
        expectNoAlarmLeft { $0.debounce(for: .seconds(10), scheduler: $1) }
        expectNoAlarmLeft { $0.batch(count: 3, within: .seconds(10), scheduler: $1) }
        expectNoAlarmLeft { $0.window(within: .seconds(10), scheduler: $1, unread: .skip).flatMap { $0.collect() } }
        expectNoAlarmLeft { upstream, scheduler in
            upstream.groupBy(limit: 10, idleTimeout: .seconds(10), scheduler: scheduler, whenFull: .drop) { $0 }
                .flatMap { $0.count() }
        }
        expectNoAlarmLeft { $0.interval(.seconds(10), scheduler: $1) }
        expectNoAlarmLeft { $0.delaySubscription(for: .seconds(10), scheduler: $1) }
    }

    func test_theAlarmsOfWhatWaitsAreCancelledWithTheStream() {
        let scheduler = TestScheduler()
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>()
        upstream.onBackpressureBuffer(
            limit: 10, whenFull: .dropOldest, expiry: .seconds(10), scheduler: scheduler
        ).subscribe(subscriber)
        upstream.send(1)
        XCTAssertEqual(scheduler.unfinished.count, 1)
        subscriber.cancel()
        XCTAssertEqual(scheduler.unfinished, [])
    }
}

/// A scheduler that can't cancel single pieces of work.
private struct KeepingScheduler: Scheduler {
    let base = TestScheduler()

    var now: TestTime { base.now }

    var minimumTolerance: TestTime.Stride { base.minimumTolerance }

    func schedule(options: TestScheduler.SchedulerOptions?, _ action: @escaping () -> Void) {
        base.schedule(options: options, action)
    }

    func schedule(
        after date: TestTime, tolerance: TestTime.Stride, options: TestScheduler.SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {
        base.schedule(after: date, tolerance: tolerance, options: options, action)
    }

    func schedule(
        after date: TestTime, interval: TestTime.Stride, tolerance: TestTime.Stride,
        options: TestScheduler.SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        base.schedule(after: date, interval: interval, tolerance: tolerance, options: options, action)
    }
}
