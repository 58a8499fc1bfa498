import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

final class VerifyJoiningTests: XCTestCase {
    private typealias Upstream = TestPublisher<Int, VerificationFailure>

    private let effort = Effort(systematicScripts: 1200, randomScripts: 100)

    private func assertConforming<P: Publisher>(
        _ count: Int, _ capabilities: Capabilities = [], requestsByItself: Bool = false, line: UInt = #line,
        _ operation: @escaping ([Upstream]) -> P
    ) {
        let report = verify(joining: count, { upstreams, _ in operation(upstreams) }, capabilities, effort: effort)
        let excused = report.excusing(.requestsOnlyForDemand, because: "it reads ahead")
        (requestsByItself ? excused : report).check(line: line) { XCTFail($0, file: $1, line: $2) }
    }

    func test_raisesNoAlarmAboutZip() {
        assertConforming(2, [.finite, .fails]) { $0[0].zip($0[1]) }
        assertConforming(3, [.finite, .fails]) { $0[0].zip($0[1], $0[2]) }
    }

    func test_raisesNoAlarmAboutMerge() {
        assertConforming(2, [.finite, .fails, .merges]) { $0[0].merge(with: $0[1]) }
        assertConforming(3, [.finite, .fails, .merges]) { $0[0].merge(with: $0[1], $0[2]) }
    }

    func test_raisesNoAlarmAboutCombineLatest() {
        assertConforming(2, [.finite, .fails, .merges, .dropsUnasked]) { $0[0].combineLatest($0[1]) }
    }

    func test_raisesNoAlarmAboutConcatenation() {
        assertConforming(2, [.finite, .fails]) { $0[0].append($0[1]) }
    }

    func test_raisesNoAlarmAboutGates() {
        assertConforming(2, [.finite], requestsByItself: true) { $0[0].prefix(untilOutputFrom: $0[1]) }
        assertConforming(2, requestsByItself: true) { $0[0].drop(untilOutputFrom: $0[1]) }
    }

    func test_raisesNoAlarmAboutFlattening() {
        // flatMap keeps at most one value of each inner publisher; synchronous ones may use up the demand of a request.
        assertConforming(3, [.finite, .fails, .merges]) { upstreams in
            (0..<3).publisher.setFailureType(to: VerificationFailure.self).flatMap { upstreams[$0] }
        }
        assertConforming(2, [.finite, .fails, .dropsUnasked, .merges]) { upstreams in
            (0..<2).publisher.setFailureType(to: VerificationFailure.self).map { upstreams[$0] }.switchToLatest()
        }
    }

    func test_catchesWhatIsWrongWithTheSecondUpstream() {
        let exhibits: [(BadMerge.Defect, Rule)] = [
            (.leavesTheFirstRunning, .cancelsBeforeEnding),
            (.swallowsItsFailure, .nothingIsLost), (.ignoresDemandForIt, .valuesAgainstDemand),
            (.forgetsToCancelIt, .cancelReachesUpstream), (.takesItsSecondSubscription, .secondSubscription),
            (.forwardsWhatItSaysLate, .ignoresLateEvents),
        ]
        for (defect, rule) in exhibits {
            let report = verify(
                joining: 2, { upstreams, _ in BadMerge(upstreams: upstreams, defect: defect) },
                [.finite, .fails, .merges], effort: effort)
            XCTAssertTrue(report.brokenRules.contains(rule), "\(defect) is not caught by \(rule): \(report)")
        }
        assertConforming(2, [.finite, .fails, .merges], requestsByItself: true) {
            BadMerge(upstreams: $0, defect: .none)
        }
    }

    func test_namesTheUpstream() throws {
        let report = verify(
            joining: 2, { upstreams, _ in BadMerge(upstreams: upstreams, defect: .leavesTheFirstRunning) },
            [.finite, .fails, .merges], effort: effort)
        let evidence = try XCTUnwrap(report.broken.first { $0.breach.rule == .cancelsBeforeEnding })
        XCTAssertEqual(evidence.script, "subscribe; upstream 2 fails")
        XCTAssertEqual(evidence.timeLine.description, "values  x")
    }
}
