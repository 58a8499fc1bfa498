import Dispatch
import Headgate
import HeadgateTesting
import XCTest

/// What waits for a moment is nothing any more when nobody waits for it.
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
        let scheduler = TestScheduler()
        expectNothingLeft(cancelling: true) { $0.debounce(for: .seconds(3600), scheduler: scheduler) }
        expectNothingLeft(cancelling: true) { $0.delay(for: .seconds(3600), scheduler: scheduler) }
    }
}
