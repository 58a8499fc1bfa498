import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

final class StressReportTests: XCTestCase {
    private let effort = StressEffort(rounds: 12, values: 8)

    func test_reportsWhatWasPutToTheTest() {
        let report = stress(publisher: (1...8).publisher, .finite, effort: effort)
        XCTAssertEqual(report[.oneCallAtATime], .held)
        XCTAssertEqual(report[.demandAddsUp], .held)
        XCTAssertEqual(
            report[.flatStack], .notCheckable("threads don't reveal it; verify does, if it can be checked at all"))
        XCTAssertEqual(report.scriptCount, 12)
    }

    func test_doesNotCompareWhatDependsOnHowThreadsMeet() {
        let report = stress(
            joining: 2, { upstreams, _ in upstreams[0].combineLatest(upstreams[1]) }, .dropsUnasked, effort: effort)
        XCTAssertEqual(
            report[.nothingIsLost], .notCheckable("the published values depend on the interleaving of threads"))
        XCTAssertEqual(report[.oneCallAtATime], .held)
    }

    func test_missesTheSubscription() {
        let report = stress(publisher: ClosurePublisher { _ in }, effort: effort)
        XCTAssertEqual(report.brokenRules, [.oneSubscription])
        XCTAssertEqual(report.broken.first?.breach.finding, "no subscription")
    }

    func test_showsTheLastValuesAndTheSeed() throws {
        let report = stress(publisher: BadPublishers.sendsAtSubscription, .finite, effort: effort)
        let evidence = try XCTUnwrap(report.broken.first { $0.breach.rule == .valuesAgainstDemand })
        XCTAssertEqual(evidence.timeLine.description, "values  1-2-3-4-5-|")
        XCTAssertEqual(evidence.seed, 1)
    }

    func test_missesTheEndOfAFinitePublisher() {
        let endless = TestPublisher<Int, VerificationFailure>(serving: Array(1...8), ending: nil)
        XCTAssertEqual(stress(publisher: endless, .finite, effort: effort).brokenRules, [.completesAfterLastValue])
    }

    func test_distinguishesDictionariesByWhatIsInThem() {
        let report = stress(
            operator: { $0.map { Dictionary(uniqueKeysWithValues: ($0..<$0 + 9).map { ("\($0)", $0) }) } },
            .transparent,
            effort: effort)
        report.check { XCTFail($0, file: $1, line: $2) }
    }
}
