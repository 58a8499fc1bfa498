import Headgate
import HeadgateTesting
import HeadgateVerification
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
        assertConforming(
            verify(operator: { $0.reduce(0, +) })
                .excusing(.requestsOnlyForDemand, because: "its result waits for demand"))
    }

    func test_raisesNoAlarmAboutZip() {
        assertConforming(
            verify(operator: { $0.zip(TestPublisher(serving: [1, 2, 3, 4, 5, 6])) }))
    }

    func test_raisesNoAlarmAboutTheDemandLedger() {
        assertConforming(verify(operator: { $0.recordingDemand(into: DemandLedger()) }, .transparent))
    }

    func test_whatHeldInOneRunIsHeldThoughAnotherRunGaveNoChance() {
        // Behind an upstream that fails no value comes.
        let report = verify(operator: { $0.reduce(0, +) })
        for rule in [Rule.anyThread, .noLockHeld, .cancelElsewhere] { XCTAssertEqual(report[rule], .held) }
        XCTAssertEqual(verify(operator: { $0.collect(3) })[.flatStack], .held)
    }

    func test_whatIsBrokenIsBrokenThoughAnotherRunHeld() {
        // Scripts by hand don't reach the last value, and after an upstream that finishes there is no timer.
        nonisolated(unsafe) var timers: [any Cancellable] = []
        let report = verify(
            operator: { upstream, scheduler in
                var last = 0
                return upstream.handleEvents(
                    receiveOutput: { last = $0 },
                    receiveCompletion: {
                        guard case .failure = $0, last == 24 else { return }
                        timers.append(scheduler.schedule(after: scheduler.now, interval: .seconds(1)) {})
                    })
            }, .transparent)
        XCTAssertEqual(report.brokenRules, [.releasesReferences])
    }

    func test_subscriptionsOnASchedulerAreThereBeforeOtherThreadsCall() {
        XCTAssertEqual(verify(operator: { $0.subscribe(on: $1) })[.anyThread], .held)
    }

    func test_doesNotLetTheStackRunOut() {
        XCTAssertEqual(
            verify(operator: { $0.map { $0 } }, .transparent)[.longPipelines],
            .notCheckable("running out of stack ends the process"))
    }
}
