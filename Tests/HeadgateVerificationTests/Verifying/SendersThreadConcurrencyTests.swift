import Headgate
import HeadgateTesting
import HeadgateVerification
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

    func test_aSubjectWhoseSendersWaitForTheirTurnIsThreadSafe() {
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

    /// Whether threads meet in one run is up to the machine; in one of many they do.
    func test_stressFindsWhoHasJoinersDeliver() {
        let finds = (0..<200).contains { run in
            stress(subject: QueueingSubject(.leavesItToWhoIsThere), effort: StressEffort(seed: 1 + 60 * UInt64(run)))
                .brokenRules.contains(.onlySendersDeliver)
        }
        XCTAssertTrue(finds)
    }

    func test_aSubjectWithAListOfSubscribersRaisesNoAlarm() {
        XCTAssertEqual(verify(subject: CrowdedSubject()).broken.map(\.description), [])
    }
}
