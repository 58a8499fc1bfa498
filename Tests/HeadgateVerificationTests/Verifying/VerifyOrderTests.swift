import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

/// Rule 1.7: an operator subscribes to its first upstream before it hands its own subscription downstream.
final class VerifyOrderTests: XCTestCase {
    private func finding(_ defect: BadOrder.Defect) -> String? {
        verify(operator: { BadOrder.make(defect, $0) }, .endsWithUpstream).broken
            .first { $0.breach.rule == .subscribesUpstreamFirst }?.breach.finding
    }

    func test_reportsWhatCameInTheWrongOrder() {
        XCTAssertEqual(finding(.handsDownFirst), "a subscription arrived before upstream was subscribed to")
        XCTAssertEqual(
            finding(.subscribesAtTheFirstRequest), "upstream was subscribed to only when a value was requested")
        XCTAssertEqual(
            finding(.opensAfterHandingDown),
            "0 values arrived; of what is sent after receive(subscription:), 3")
    }

    func test_raisesNoAlarmAboutTheRightOrder() {
        let report = verify(operator: { BadOrder.make(.none, $0) }, .endsWithUpstream)
        report.check { XCTFail($0, file: $1, line: $2) }
        XCTAssertEqual(report[.subscribesUpstreamFirst], .held)
    }

    func test_checksEveryUpstreamOfAnOperatorThatJoins() {
        let report = verify(joining: 2, { upstreams, _ in upstreams[0].append(upstreams[1]) }, .endsWithUpstream)
        report.check { XCTFail($0, file: $1, line: $2) }
        XCTAssertEqual(report[.subscribesUpstreamFirst], .held)
    }

    func test_raisesNoAlarmAboutAnOperatorThatPublishesSomethingElseFirst() {
        let report = verify(operator: { $0.prepend(7, 8) }, .endsWithUpstream)
        report.check { XCTFail($0, file: $1, line: $2) }
        XCTAssertEqual(report[.subscribesUpstreamFirst], .held)
    }
}
