import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

/// A verifier takes no more time than its effort promises, which shows in the number of scripts.
final class EffortTests: XCTestCase {
    private func assertWithin(
        _ effort: Effort, _ report: Verification, file: StaticString = #filePath, line: UInt = #line
    ) {
        let limit = effort.systematicScripts + effort.randomScripts
        XCTAssertLessThanOrEqual(report.scriptCount, limit, file: file, line: line)
        XCTAssertGreaterThan(report.scriptCount, limit * 3 / 4, file: file, line: line)
    }

    func test_aPublisherTakesNoMoreScriptsThanPromised() {
        assertWithin(.normal, verify(publisher: (1...6).publisher, .finite))
    }

    func test_anOperatorTakesNoMoreScriptsThanPromised() {
        assertWithin(.normal, verify(operator: { $0.map { $0 } }, .transparent))
        assertWithin(.normal, verify(operator: { $0.zip(TestPublisher(serving: [1, 2, 3, 4])) }))
    }

    func test_anOperatorOnASchedulerTakesNoMoreScriptsThanPromised() {
        assertWithin(.normal, verify(operator: { $0.delay(for: .seconds(1), scheduler: $1) }))
    }

    func test_aSubjectTakesNoMoreScriptsThanPromised() {
        assertWithin(.normal, verify(subject: PassthroughSubject<Int, VerificationFailure>()))
    }

    func test_lessEffortTakesFewerScripts() {
        let effort = Effort(depth: 4, systematicScripts: 200, randomScripts: 20)
        assertWithin(effort, verify(operator: { $0.prefix(3) }, effort: effort))
    }
}
