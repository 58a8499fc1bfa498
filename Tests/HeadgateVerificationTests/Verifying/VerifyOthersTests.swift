import Headgate
import HeadgateTesting
import HeadgateVerification
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

    func test_raisesNoAlarmAboutAnAssignment() {
        final class Model { var total = 0 }
        verify(subscriber: Subscribers.Assign(object: Model(), keyPath: \Model.total), values: [1, 2, 3])
            .check { XCTFail($0, file: $1, line: $2) }
    }

    func test_raisesNoAlarmAboutASubscriberThatTakesValuesOneByOne() {
        let report = verify(subscriber: PlainSubscriber())
        XCTAssertEqual(report.broken.map(\.description), [])
        XCTAssertEqual(report[.demandAddsUp], .held)
        XCTAssertEqual(report[.noLockHeld], .held)
        XCTAssertEqual(report[.cancelReachesUpstream], .held)
    }

    func test_saysWhereASubscriberCannotBeCancelled() {
        let report = verify(
            subscriber: AnySubscriber(
                Subscribers.Sink<Int, VerificationFailure>(receiveCompletion: { _ in }, receiveValue: { _ in })))
        XCTAssertEqual(report.broken.map(\.description), [])
        XCTAssertEqual(report[.cancelReachesUpstream], .notCheckable("the subscriber can't be cancelled"))
    }

    func test_showsWhatASubscriberReceivedAndSaid() {
        let late = verify(subscriber: PlainSubscriber(.requestsAfterCompletion)).broken.first {
            $0.breach.rule == .ignoresLateEvents
        }
        XCTAssertEqual(
            late?.timeLine.description,
            """
            values        --|-1-2-3-4-5-|
            demand        ^1--^1^1^1^1^1-
            subscription  [-]------------
            """)
    }

    func test_raisesNoAlarmAboutASchedulerThatIsRight() {
        verify(scheduler: { PlainScheduler() }, advance: { $0.advance(by: $1) }).check {
            XCTFail($0, file: $1, line: $2)
        }
    }

    func test_raisesNoAlarmAboutASchedulerThatIsLate() {
        for lateness in [3, 50, 400] {
            verify(
                scheduler: { PlainScheduler(lateness: .milliseconds(lateness)) }, advance: { $0.advance(by: $1) }
            ).check {
                XCTFail("\(lateness): \($0)", file: $1, line: $2)
            }
        }
    }

    func test_raisesNoAlarmAboutATestScheduler() {
        verify(scheduler: { TestScheduler() }, advance: { $0.advance(by: $1) }).check {
            XCTFail($0, file: $1, line: $2)
        }
    }

    func test_showsWhenWorkWasDone() {
        let report = verify(scheduler: { PlainScheduler(.turnsTheOrderRound) }, advance: { $0.advance(by: $1) })
        XCTAssertEqual(report.broken.map(\.script), ["schedule 1 to 4 now, 5 to 8 after one unit"])
        XCTAssertEqual(report.broken.first?.timeLine.description, "values  --(1234)(8765)")
        let deaf = verify(scheduler: { PlainScheduler(.ignoresCancelInside) }, advance: { $0.advance(by: $1) })
        XCTAssertEqual(deaf.broken.first?.timeLine.description, "values  --1-1-1-1-1-1-1\ndemand  --!------------")
    }

    func test_catchesASchedulerThatKnowsNoTime() {
        let report = verify(scheduler: { ImmediateScheduler.shared }, advance: { _, _ in })
        XCTAssertEqual(report.brokenRules, [.runsOnce, .orderOfWork])
    }
}
