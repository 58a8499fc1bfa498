import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

/// Subscribers that are right raise no alarm, however threads meet.
final class StressSubscribersConcurrencyTests: XCTestCase {
    private func assertConforming(_ report: Verification, file: StaticString = #filePath, line: UInt = #line) {
        report.check(file: file, line: line) { XCTFail($0, file: $1, line: $2) }
    }

    func test_raisesNoAlarmAboutSubscribersThatAreRight() {
        assertConforming(stress(subscriber: RacingSubscriber()))
        assertConforming(stress(subscriber: RacingSubscriber(isGreedy: false)) { $0.requestMore() })
        assertConforming(
            stress(
                subscriber: Subscribers.Sink<Int, VerificationFailure>(
                    receiveCompletion: { _ in }, receiveValue: { _ in })))
        final class Model { var total = 0 }
        assertConforming(
            stress(subscriber: Subscribers.Assign(object: Model(), keyPath: \Model.total), values: [1, 2, 3]))
        assertConforming(stress(subscriber: TestSubscriber<Int, VerificationFailure>(.unlimited)))
    }

    func test_saysWhatItCanCheck() {
        let report = stress(
            subscriber: AnySubscriber(RacingSubscriber()), effort: StressEffort(rounds: 4, values: 4))
        XCTAssertEqual(report[.cancelReachesUpstream], .notCheckable("the subscriber can't be cancelled"))
        XCTAssertEqual(report[.demandAddsUp], .held)
        XCTAssertEqual(
            report[.secondSubscription],
            .notCheckable("threads don't reveal it; verify does, if it can be checked at all"))
        XCTAssertEqual(report.scriptCount, 4)
    }

    func test_showsTheStreamAndTheSeed() throws {
        let report = stress(
            subscriber: RacingSubscriber(.keepsItsSubscription), effort: StressEffort(rounds: 20, values: 4))
        let evidence = try XCTUnwrap(report.broken.first { $0.breach.rule == .releasesReferences })
        XCTAssertEqual(evidence.breach.finding, "the subscription is retained")
        XCTAssertTrue(evidence.script.hasPrefix("subscribe; at most "), evidence.script)
        XCTAssertNotNil(evidence.seed)
    }
}
