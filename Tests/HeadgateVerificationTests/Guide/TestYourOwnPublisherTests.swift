import Foundation
import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

/// Runs what `Documentation/TestYourOwnPublisher.md` tells.
final class TestYourOwnPublisherTests: XCTestCase {
    private var guide: String {
        get throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            return try String(
                contentsOf: root.appendingPathComponent("Documentation/TestYourOwnPublisher.md"), encoding: .utf8)
        }
    }

    private func assertGuideShows(
        _ rule: Rule, of report: Verification, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        let evidence = try XCTUnwrap(
            report.broken.first { $0.breach.rule == rule }, "\(report)", file: file, line: line)
        XCTAssertTrue(try guide.contains(evidence.description), "\(evidence)", file: file, line: line)
    }

    func test_eagerCountdownFailsAsTheGuideShows() throws {
        try assertGuideShows(.valuesAgainstDemand, of: verify(publisher: EagerCountdown(start: 5), .finite))
    }

    func test_nestingCountdownFailsAsTheGuideShows() throws {
        let report = verify(publisher: NestingCountdown(start: 5), .finite)
        try assertGuideShows(.noNestedValues, of: report)
        try assertGuideShows(.demandAddsUp, of: report)
    }

    func test_addingCountdownFailsAsTheGuideShows() throws {
        let report = verify(publisher: AddingCountdown(start: 5), .finite)
        try assertGuideShows(.oneCompletion, of: report)
        try assertGuideShows(.releasesReferences, of: report)
    }

    func test_countdownKeepsToTheContract() {
        verify(publisher: Countdown(start: 5), .finite).check { XCTFail($0, file: $1, line: $2) }
    }

    func test_chainsOfCountdownsKeepToTheContract() {
        verify(publisher: Countdown(start: 5).filter { $0 > 2 }, [.finite, .leavesValuesOut]).check {
            XCTFail($0, file: $1, line: $2)
        }
    }

    func test_sharedCountdownIsThreadSafe() {
        stress(publisher: SharedCountdown(start: 40), .finite).check { XCTFail($0, file: $1, line: $2) }
    }

    func test_sharedCountdownKeepsToTheContract() {
        verify(publisher: SharedCountdown(start: 5), .finite).check { XCTFail($0, file: $1, line: $2) }
    }

    func test_unfoldedCountdownKeepsToTheContract() {
        let report = verify(publisher: countdown(from: 5), .finite)
            .excusing(.completesAfterLastValue, because: "it has to be read to find its end")
        report.check { XCTFail($0, file: $1, line: $2) }
    }

    func test_countdownCountsDown() {
        StepVerifier(Countdown(start: 3))
            .request(2)
            .expect(3, 2)
            .expectNothing()
            .request(1)
            .expect(1)
            .expectFinish()
            .verify { XCTFail($0, file: $1, line: $2) }
    }

    @MainActor func test_deliversOnTheMainQueue() async {
        await StepVerifier(Countdown(start: 100).receive(on: DispatchQueue.main), demand: .unlimited)
            .expect(count: 10)
            .skip { $0 > 1 }
            .expect(1)
            .expectFinish()
            .verify { XCTFail($0, file: $1, line: $2) }
    }

    func test_deliversOnItsQueue() {
        let queue = DispatchQueue(label: "values")
        let subscriber = TestSubscriber<Int, Never>(.unlimited)
        Countdown(start: 3).receive(on: queue).subscribe(subscriber)
        XCTAssertTrue(waitUntil { subscriber.hasFinished })
        XCTAssertEqual(subscriber.values, [3, 2, 1])
    }

    func test_fallsSilentWhenCancelled() {
        let ticks = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>(.unlimited)
        ticks.receive(on: DispatchQueue(label: "values")).subscribe(subscriber)
        for tick in 1...100 { ticks.send(tick) }
        subscriber.cancel()
        XCTAssertTrue(waitForQuiet { subscriber.values.count })
        XCTAssertEqual(subscriber.breaches, [])
    }

    func test_everyCountdownInTheGuideIsTheOneThatIsTested() throws {
        let sources = try ["Countdowns.swift", "TestYourOwnPublisherTests.swift", "SwiftTestingTests.swift"].map {
            try String(
                contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent($0),
                encoding: .utf8)
        }.joined().filter { !$0.isWhitespace }
        let blocks = try guide.components(separatedBy: "```swift").dropFirst().map {
            $0.components(separatedBy: "```")[0].drop { $0 != "\n" }.filter { !$0.isWhitespace }
        }
        XCTAssertGreaterThan(blocks.count, 8)
        for block in blocks { XCTAssertTrue(sources.contains(block), block) }
    }
}
