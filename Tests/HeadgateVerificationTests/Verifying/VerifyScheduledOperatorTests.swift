import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

final class VerifyScheduledOperatorTests: XCTestCase {
    private let effort = Effort(depth: 5, systematicScripts: 400, randomScripts: 50)

    private func assertConforming(
        _ report: Verification, takesEverything: Bool = false, file: StaticString = #filePath, line: UInt = #line
    ) {
        let report =
            takesEverything
            ? report.excusing(.requestsOnlyForDemand, because: "it takes every value at its time") : report
        report.check(file: file, line: line) { XCTFail($0, file: $1, line: $2) }
    }

    func test_receiveOnConforms() {
        assertConforming(verify(operator: { $0.receive(on: $1) }, effort: effort))
    }

    func test_receiveOnConformsOnASchedulerThatWaitsForNothing() {
        assertConforming(
            verify(operator: { upstream, _ in upstream.receive(on: ImmediateScheduler.shared) }, effort: effort))
    }

    func test_subscribeOnConforms() {
        assertConforming(verify(operator: { $0.subscribe(on: $1) }, effort: effort))
    }

    func test_timeoutConforms() {
        assertConforming(verify(operator: { $0.timeout(.seconds(5), scheduler: $1) }, .endsByTime, effort: effort))
        assertConforming(
            verify(
                operator: { $0.timeout(.seconds(5), scheduler: $1, customError: { .upstreamFailed }) }, .endsByTime,
                effort: effort))
    }

    func test_timeoutAfterADelayConforms() {
        assertConforming(
            verify(
                operator: { $0.delay(for: .seconds(1), scheduler: $1).timeout(.seconds(5), scheduler: $1) },
                .endsByTime, effort: effort))
    }

    func test_delayConforms() {
        assertConforming(verify(operator: { $0.delay(for: .seconds(1), scheduler: $1) }, effort: effort))
    }

    func test_debounceConforms() {
        assertConforming(
            verify(operator: { $0.debounce(for: .seconds(1), scheduler: $1) }, .dropsUnasked, effort: effort),
            takesEverything: true)
    }

    func test_throttleConforms() {
        assertConforming(
            verify(
                operator: { $0.throttle(for: .seconds(1), scheduler: $1, latest: true) }, .dropsUnasked, effort: effort),
            takesEverything: true)
        assertConforming(
            verify(
                operator: { $0.throttle(for: .seconds(1), scheduler: $1, latest: false) }, .dropsUnasked, effort: effort
            ), takesEverything: true)
    }

    func test_measureIntervalConforms() {
        assertConforming(verify(operator: { $0.measureInterval(using: $1) }, .dropsUnasked, effort: effort))
    }

    func test_collectByTimeConforms() {
        assertConforming(
            verify(operator: { $0.collect(.byTime($1, .seconds(1))) }, .hot, effort: effort), takesEverything: true)
        assertConforming(
            verify(operator: { $0.collect(.byTimeOrCount($1, .seconds(1), 2)) }, .hot, effort: effort),
            takesEverything: true)
    }

    func test_catchesWhatGoesWrongWhileValuesAreUnderWay() {
        assertConforming(verify(operator: { BadTimedOperators.hop($0, $1, .none) }, effort: effort))
        let exhibits: [(BadTimedOperators.Hop, Rule)] = [
            (.deliversAfterCancel, .cancelStopsDelivery), (.forgetsRequests, .demandAddsUp),
        ]
        for (defect, rule) in exhibits {
            let report = verify(operator: { BadTimedOperators.hop($0, $1, defect) }, effort: effort)
            XCTAssertTrue(report.brokenRules.contains(rule), "\(defect) is not caught by \(rule): \(report)")
        }
    }

    func test_catchesWhatGoesWrongAtADeadline() {
        assertConforming(verify(operator: { BadTimedOperators.deadline($0, $1, .none) }, .endsByTime, effort: effort))
        let exhibits: [(BadTimedOperators.Deadline, Rule)] = [
            (.leavesUpstreamRunning, .cancelsBeforeEnding), (.goesOnAfterTheEnd, .silenceAfterTheEnd),
            (.keepsLooking, .releasesReferences), (.forgetsRequests, .demandAddsUp),
            (.swallowsTheEnd, .completesAfterLastValue),
        ]
        for (defect, rule) in exhibits {
            let report = verify(operator: { BadTimedOperators.deadline($0, $1, defect) }, .endsByTime, effort: effort)
            XCTAssertTrue(report.brokenRules.contains(rule), "\(defect) is not caught by \(rule): \(report)")
        }
    }

    func test_showsWhereTimePassed() {
        let report = verify(operator: { BadTimedOperators.hop($0, $1, .deliversAfterCancel) })
        let evidence = report.broken.first { $0.breach.rule == .cancelStopsDelivery }
        XCTAssertEqual(evidence?.script, "subscribe; request 1; upstream sends; cancel; time passes")
    }
}
