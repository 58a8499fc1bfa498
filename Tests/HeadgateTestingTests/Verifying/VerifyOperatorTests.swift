import Headgate
import HeadgateTesting
import XCTest

final class VerifyOperatorTests: XCTestCase {
    private func assertConforming(
        _ report: Verification, file: StaticString = #filePath, line: UInt = #line
    ) {
        report.check(file: file, line: line) { XCTFail($0, file: $1, line: $2) }
    }

    func test_raisesNoAlarmAboutMap() {
        assertConforming(verify(operator: { $0.map { $0 * 10 } }, .transparent))
    }

    func test_raisesNoAlarmAboutFilter() {
        assertConforming(verify(operator: { $0.filter { $0.isMultiple(of: 2) } }, .transparent))
    }

    func test_raisesNoAlarmAboutPrefix() {
        assertConforming(
            verify(operator: { $0.prefix(5) }))
    }

    func test_raisesNoAlarmAboutReduce() {
        assertConforming(verify(operator: { $0.reduce(0, +) }))
    }

    func test_raisesNoAlarmAboutZip() {
        assertConforming(
            verify(operator: { $0.zip(TestPublisher(serving: [1, 2, 3, 4, 5, 6])) }))
    }

    func test_raisesNoAlarmAboutTheDemandLedger() {
        assertConforming(verify(operator: { $0.recordingDemand(into: DemandLedger()) }, .transparent))
    }
}
