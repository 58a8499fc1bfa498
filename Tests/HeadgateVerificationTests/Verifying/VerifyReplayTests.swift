import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

/// A subject may replay to subscribers that come late, against their demand.
final class VerifyReplayTests: XCTestCase {
    private func assertConforming(_ report: Verification, file: StaticString = #filePath, line: UInt = #line) {
        report.check(file: file, line: line) { XCTFail($0, file: $1, line: $2) }
    }

    func test_raisesNoAlarmAboutAReplayWithDemand() {
        assertConforming(verify(subject: ReplayingSubject()))
        assertConforming(verify(subject: ReplaySubject<Int, VerificationFailure>(bufferSize: 2)))
        assertConforming(verify(subject: CurrentValueSubject<Int, VerificationFailure>(0)))
    }

    func test_showsWhatWasReplayedWithoutDemand() throws {
        let report = verify(subject: ReplayingSubject(.replaysWithoutDemand))
        let evidence = try XCTUnwrap(report.broken.first { $0.breach.rule == .valuesAgainstDemand })
        XCTAssertEqual(evidence.breach.finding, "a value without demand")
        XCTAssertEqual(evidence.script, "send 1, 2, 3; subscribe")
        XCTAssertEqual(evidence.timeLine.text(of: .values), "1-2-3")
    }
}
