import Dispatch
import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

final class VerifyReportsConcurrencyTests: XCTestCase {
    func test_showsTheSubscriberThatMissedAValue() throws {
        let effort = Effort(systematicScripts: 100, randomScripts: 10)
        let report = verify(subject: CrowdedSubject(.skipsTheNext), effort: effort)
        let evidence = try XCTUnwrap(report.broken.first { $0.breach.rule == .nothingIsLost }, "\(report)")
        XCTAssertEqual(evidence.breach.finding, "subscriber 2 of 0 to 3 received [1002]")
        XCTAssertEqual(evidence.timeLine.signs(on: .values), [.value("1002")])
    }

    /// While other work is pending, too.
    func test_noticesThatWorkOfThePastIsLost() {
        let report = verify(scheduler: { ArmedScheduler() }, advance: { $0.agenda.advance(by: $1) })
        XCTAssertEqual(report.brokenRules, [.runsOnce], "\(report)")
    }

    /// How much upstream may send before it finishes is up to the threads.
    func test_raisesNoAlarmAboutRequestsFromThreads() {
        let effort = Effort(depth: 1, systematicScripts: 4, randomScripts: 1, timeout: 300)
        let queue = DispatchQueue(label: "requests")
        for _ in 0..<2 {
            let report = verify(
                operator: { upstream, _ in
                    upstream.flatMap(maxPublishers: .max(1)) {
                        Just($0).setFailureType(to: VerificationFailure.self).receive(on: queue)
                    }
                }, [.finite, .fails, .asynchronous], effort: effort)
            XCTAssertFalse(report.brokenRules.contains(.droppedSubscription), "\(report)")
        }
    }
}

/// Loses work for a time in the past while it waits for other work.
private final class ArmedScheduler: Scheduler {
    typealias SchedulerOptions = Never

    let agenda = TestScheduler()
    private var armedCount = 0

    var now: TestTime { agenda.now }
    var minimumTolerance: TestTime.Stride { .zero }

    func schedule(options: Never?, _ action: @escaping () -> Void) { agenda.schedule(action) }

    func schedule(after date: TestTime, tolerance: TestTime.Stride, options: Never?, _ action: @escaping () -> Void) {
        if date < now, armedCount > 0 { return }
        armedCount += 1
        agenda.schedule(after: date) {
            self.armedCount -= 1
            action()
        }
    }

    func schedule(
        after date: TestTime, interval: TestTime.Stride, tolerance: TestTime.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) -> any Cancellable {
        agenda.schedule(after: date, interval: interval, tolerance: tolerance, options: nil, action)
    }
}
