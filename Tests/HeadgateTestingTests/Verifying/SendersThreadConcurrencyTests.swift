import Headgate
import HeadgateTesting
import XCTest

/// A value is delivered by the thread that sent it, and by no other.
final class SendersThreadConcurrencyTests: XCTestCase {
    func test_aSubjectWhoseSendersWaitForTheirTurnRaisesNoAlarm() {
        let report = verify(subject: QueueingSubject())
        XCTAssertEqual(report.broken.map(\.description), [])
        XCTAssertEqual(report[.sendersThread], .held)
        XCTAssertEqual(report[.onlySendersDeliver], .held)
        XCTAssertEqual(report[.subscribingInside], .held)
    }

    func test_aSubjectWhoseSendersWaitForTheirTurnStandsThreads() {
        let report = stress(subject: QueueingSubject(), effort: StressEffort(rounds: 40))
        XCTAssertEqual(report.broken.map(\.description), [])
        XCTAssertEqual(report[.sendersThread], .held)
        XCTAssertEqual(report[.onlySendersDeliver], .held)
    }

    /// The verifier finds without luck what the stress test finds with some.
    func test_theVerifierFindsWhoHasJoinersDeliver() {
        let report = verify(subject: QueueingSubject(.leavesItToWhoIsThere))
        XCTAssertEqual(report.brokenRules, [.sendersThread, .onlySendersDeliver])
    }

    func test_stressFindsWhoHasJoinersDeliver() {
        let report = stress(subject: QueueingSubject(.leavesItToWhoIsThere))
        XCTAssertTrue(report.brokenRules.contains(.onlySendersDeliver), "\(report)")
    }

    func test_aSubjectWithAListOfSubscribersRaisesNoAlarm() {
        XCTAssertEqual(verify(subject: CrowdedSubject()).broken.map(\.description), [])
    }
}
