import Headgate
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

final class SearchTests: XCTestCase {
    func test_comesToAnEndWhateverTheDepth() {
        let effort = Effort(depth: .max, systematicScripts: 10_000, randomScripts: 0)
        XCTAssertTrue(verify(publisher: Fail<Int, TestFailure>(error: .first), .fails, effort: effort).isConforming)
    }

    func test_saysHowManyValuesItWaitsForTheEnd() {
        let effort = Effort(depth: 1, systematicScripts: 10, randomScripts: 0)
        let report = verify(publisher: (1...2500).publisher, .finite, effort: effort)
        XCTAssertEqual(report.brokenRules, [.completesAfterLastValue])
        XCTAssertEqual(report.broken.first?.breach.finding, "no completion within 2000 values")
    }

    /// Loses the fourth value if it was asked for by a demand of exactly three in one piece: nothing that scripts made
    /// in order contain.
    private struct Rarely: Publisher {
        typealias Output = Int
        typealias Failure = Never

        func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
            let source = TestPublisher<Int, Never>(serving: [1, 2, 3, 4, 5])
            var hasRequestedThree = false
            source
                .handleEvents(receiveRequest: { if $0 == .max(3) { hasRequestedThree = true } })
                .map { hasRequestedThree && $0 == 2 ? 99 : $0 }
                .subscribe(subscriber)
        }
    }

    func test_findsAtRandomWhatOrderDoesNotAndShrinksIt() throws {
        let report = verify(publisher: Rarely(), .finite)
        let evidence = try XCTUnwrap(report.broken.first { $0.breach.rule == .nothingIsLost })
        XCTAssertNotNil(evidence.seed)
        XCTAssertEqual(evidence.script, "subscribe; request 3")
        XCTAssertEqual(evidence.timeLine.description, "values  --1-99-3\ndemand  ^3------")
    }

    func test_sameSeedFindsTheSame() {
        let reports = (0..<2).map { _ in verify(publisher: Rarely(), .finite).description }
        XCTAssertEqual(reports[0], reports[1])
    }

    func test_reportsRuleByRule() {
        let report = verify(publisher: (1...3).publisher, .finite)
        let lines = report.description.split(separator: "\n")
        XCTAssertEqual(lines.count, 1 + Rule.all.count)
        XCTAssertTrue(lines.contains("  1.2 held"))
        XCTAssertTrue(lines.contains("  6.3 not checkable: a trap ends the process"))
        XCTAssertTrue(lines.contains("  2.2 not applicable: no call takes demand back"))
        XCTAssertTrue(
            report[.flatStack] == .notCheckable("fewer than four values arrived on requests from inside deliveries"))
    }

    func test_excusesARule() {
        let report = verify(publisher: MisbehavingPublisher<Int, Never>(.neverFinishes), .finite)
        XCTAssertEqual(report.brokenRules, [.completesAfterLastValue])
        XCTAssertTrue(report.excusing(.completesAfterLastValue, because: "it never does").isConforming)
    }

    func test_blamesTheCaller() {
        var lines: [UInt] = []
        let report = verify(publisher: MisbehavingPublisher<Int, Never>(.neverFinishes), .finite)
        report.check { _, _, line in lines.append(line) }
        XCTAssertEqual(lines, [#line - 1])
    }
}
