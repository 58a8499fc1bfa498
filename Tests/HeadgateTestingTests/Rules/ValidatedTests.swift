import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

final class ValidatedTests: XCTestCase {
    func test_namesStageAndRule() {
        for misbehaviour in [
            Misbehaviour.valueBeforeSubscription, .secondSubscription, .oneValueTooMany, .ignoresDemand,
            .secondCompletion, .valueAfterTheEnd,
        ] {
            var reports: [ValidationReport] = []
            let subscriber = TestSubscriber<Int, Never>(.first(1))
            MisbehavingPublisher(misbehaviour).validated("source") { reports.append($0) }.subscribe(subscriber)
            subscriber.request(.max(5))
            XCTAssertEqual(reports.first?.breach.rule, misbehaviour.rule, "\(misbehaviour)")
            XCTAssertEqual(reports.first?.stage, "source")
        }
    }

    func test_passesEverythingOnAndIsSilentWhereAllIsWell() {
        var reports: [ValidationReport] = []
        let subscriber = TestSubscriber<Int, Never>(.oneByOneReentrantly)
        (1...4).publisher
            .validated("source") { reports.append($0) }
            .map { $0 * 10 }
            .validated("map") { reports.append($0) }
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [10, 20, 30, 40])
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertEqual(reports, [])
    }

    func test_seesAValueAfterCancel() {
        var reports: [ValidationReport] = []
        let subscriber = TestSubscriber<Int, Never>(.cancelling(atValue: 1))
        MisbehavingPublisher(.ignoresCancel).validated("source") { reports.append($0) }.subscribe(subscriber)
        XCTAssertEqual(reports.first?.breach.rule, .cancelStopsDelivery)
        XCTAssertEqual(subscriber.values, [1])
    }

    func test_keepsToTheContractItself() {
        verify(operator: { $0.validated("upstream") { _ in } }, .transparent).check { XCTFail($0, file: $1, line: $2) }
    }

    func test_leavesASecondSubscriptionToItsDownstream() {
        let subscriber = TestSubscriber<Int, Never>(.first(1))
        MisbehavingPublisher(.secondSubscription).validated("source") { _ in }.subscribe(subscriber)
        XCTAssertEqual(subscriber.breaches.map(\.rule), [.oneSubscription])
    }
}
