import Headgate
import HeadgateTesting
import XCTest

final class VerifyOthersTests: XCTestCase {
    func test_raisesNoAlarmAboutAPassthroughSubject() {
        verify(subject: PassthroughSubject<Int, VerificationFailure>())
            .check { XCTFail($0, file: $1, line: $2) }
    }

    func test_raisesNoAlarmAboutASink() {
        verify(
            subscriber: Subscribers.Sink<Int, VerificationFailure>(receiveCompletion: { _ in }, receiveValue: { _ in })
        ).check { XCTFail($0, file: $1, line: $2) }
    }

    func test_catchesASubscriberThatTakesASecondSubscription() {
        final class Greedy: Subscriber {
            var subscription: (any Subscription)?
            func receive(subscription: any Subscription) {
                self.subscription = subscription
                subscription.request(.unlimited)
            }
            func receive(_ input: Int) -> Subscribers.Demand { .none }
            func receive(completion: Subscribers.Completion<VerificationFailure>) {}
        }
        XCTAssertEqual(verify(subscriber: Greedy()).brokenRules, [.letsGo, .secondSubscription])
    }

    func test_raisesNoAlarmAboutATestScheduler() {
        verify(scheduler: { TestScheduler() }, advance: { $0.advance(by: $1) }).check {
            XCTFail($0, file: $1, line: $2)
        }
    }

    func test_catchesASchedulerThatKnowsNoTime() {
        let report = verify(scheduler: { ImmediateScheduler.shared }, advance: { _, _ in })
        XCTAssertTrue(report.brokenRules.contains(.cancelledWorkRests), "\(report)")
    }

    func test_catchesASchedulerThatTurnsTheOrderRound() {
        struct Reversing: Scheduler {
            typealias SchedulerOptions = Never
            let inner = TestScheduler()
            let count = Counter()
            final class Counter { var value = 1_000_000 }
            var now: TestTime { inner.now }
            var minimumTolerance: TestTime.Stride { .zero }
            func schedule(options: Never?, _ action: @escaping () -> Void) { inner.schedule(action) }
            func schedule(
                after date: TestTime, tolerance: TestTime.Stride, options: Never?, _ action: @escaping () -> Void
            ) {
                count.value -= 1
                inner.schedule(after: date.advanced(by: .nanoseconds(count.value)), action)
            }
            func schedule(
                after date: TestTime, interval: TestTime.Stride, tolerance: TestTime.Stride, options: Never?,
                _ action: @escaping () -> Void
            ) -> any Cancellable { inner.schedule(after: date, interval: interval, action) }
        }
        let report = verify(scheduler: { Reversing() }, advance: { $0.inner.advance(by: $1) })
        XCTAssertEqual(report.brokenRules, [.orderOfWork])
    }
}
