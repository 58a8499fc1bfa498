import Dispatch
import Headgate
import HeadgateCore
import HeadgateTesting
import Synchronization
import XCTest

/// A scheduler whose clock and alarm a test moves by hand; other work runs at once.
private final class HandScheduler: Scheduler, @unchecked Sendable {
    typealias SchedulerTimeType = TestTime
    typealias SchedulerOptions = Never

    struct Alarm: Sendable {
        let date: TestTime
        let run: @Sendable () -> Void
    }

    private let time = Atomic(0)
    private let alarm = Guarded<Alarm?>(nil)

    var now: TestTime { TestTime(nanoseconds: time.load(ordering: .acquiring)) }

    var minimumTolerance: TestTime.Stride { .nanoseconds(0) }

    func advance(to nanoseconds: Int) { _ = time.max(nanoseconds, ordering: .acquiringAndReleasing) }

    func takeAlarm() -> Alarm? {
        alarm.withLock { $0.take() }
    }

    func schedule(options: Never?, _ action: @escaping @Sendable () -> Void) { action() }

    func schedule(
        after date: TestTime, tolerance: TestTime.Stride, options: Never?, _ action: @escaping @Sendable () -> Void
    ) {
        alarm.withLock { $0 = Alarm(date: date, run: action) }
    }

    func schedule(
        after date: TestTime, interval: TestTime.Stride, tolerance: TestTime.Stride, options: Never?,
        _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable { fatalError("not used") }
}

private final class Shared: @unchecked Sendable {
    /// Written before the other thread starts.
    var subscription: (any Subscription)?
    let isDone = Atomic(false)
    let hasEnded = Atomic(false)
}

final class TimeoutWhileRequestingConcurrencyTests: XCTestCase {
    /// A value comes at most nine nanoseconds after the one before, and the clock never shows ten without one.
    func test_aStreamThatIsNeverSilentDoesNotTimeOutWhileAnotherThreadRequests() {
        let scheduler = HandScheduler()
        let subject = PassthroughSubject<Int, Never>()
        let shared = Shared()
        let subscriber = AnySubscriber<Int, Never>(
            receiveSubscription: {
                shared.subscription = $0
                $0.request(.max(.max / 2))
            }, receiveValue: { _ in .none }, receiveCompletion: { _ in shared.hasEnded.store(true, ordering: .relaxed) }
        )
        subject.timeout(.nanoseconds(10), scheduler: scheduler).subscribe(subscriber)

        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            while !shared.isDone.load(ordering: .relaxed) { shared.subscription?.request(.max(1)) }
        }
        var alarms = 0
        let end = DispatchTime.now() + .seconds(2)
        while alarms < 1_000_000, !shared.hasEnded.load(ordering: .relaxed), DispatchTime.now() < end {
            guard let alarm = scheduler.takeAlarm() else { continue }
            scheduler.advance(to: alarm.date.nanoseconds - 1)
            subject.send(alarms)
            scheduler.advance(to: alarm.date.nanoseconds)
            alarm.run()
            alarms += 1
        }
        shared.isDone.store(true, ordering: .relaxed)
        group.wait()
        XCTAssertFalse(shared.hasEnded.load(ordering: .relaxed), "timed out after \(alarms) alarms")
        shared.subscription?.cancel()
    }
}
