import Foundation
import TestSupport
import XCTest

/// A trap in what is under test ends the process, and the script that was running is printed.
final class CrashedScriptTests: XCTestCase {
    private func assertPrints(
        _ mistake: String, _ texts: String..., signals: [Int32] = [SIGILL, SIGTRAP], backtraces: Bool = false,
        file: StaticString = #filePath, line: UInt = #line
    ) throws {
        let outcome = try outcome(ofMistake: "script: \(mistake)", backtraces: backtraces)
        XCTAssertEqual(outcome.reason, .uncaughtSignal, mistake, file: file, line: line)
        XCTAssertTrue(signals.contains(outcome.status), "\(mistake): \(outcome.status)", file: file, line: line)
        let head = "HeadgateTesting: the process was ended while this ran:"
        for text in [head] + texts {
            XCTAssertTrue(
                outcome.message.contains(text), "\(mistake): \(text) is not in \(outcome.message)", file: file,
                line: line)
        }
    }

    func test_aTrapPrintsTheScriptOfEachVerifier() throws {
        try assertPrints(
            "publisher", "verify(publisher:) of Mined", "script: subscribe; request 0",
            "so far: subscribe; request 0\n")
        try assertPrints(
            "operator", "verify(operator:) of MinedOperator", "script: upstream sends a second subscription")
        try assertPrints("subject", "verify(subject:) of MinedSubject", "script: five subscribers")
        try assertPrints("subscriber", "verify(subscriber:) of MinedSubscriber", "script: values; fail")
        try assertPrints("scheduler", "verify(scheduler:) of MinedScheduler", "script: schedule work with a tolerance")
    }

    func test_aTrapPrintsTheSeedOfAStressTest() throws {
        try assertPrints("stress", "stress(publisher:) of Mined", "two threads request", "(seed ")
        try assertPrints("stress of a subscriber", "stress(subscriber:) of MinedSubscriber", "(seed 1)")
    }

    func test_aTrapPrintsTheStepAndItsLine() throws {
        try assertPrints("steps", "StepVerifier.verify() at ", "ScriptMistakes.swift:", "script: step 2, at line ")
    }

    func test_aTrapOnAnotherThreadPrintsTheScript() throws {
        try assertPrints("another thread", "verify(publisher:) of Mined", "request 2\n")
    }

    func test_otherSignalsPrintTheScriptToo() throws {
        try assertPrints("abort", "request 0\n", signals: [SIGABRT])
        try assertPrints("stack", "request 0\n", signals: [SIGSEGV, SIGBUS])
    }

    /// Swift's own handler prints the backtrace after that.
    func test_theHandlerBeforeActsAsBefore() throws {
        try assertPrints("publisher", "request 0\n", "a mine", backtraces: true)
    }

    func test_nothingIsPrintedAfterTheScripts() throws {
        let outcome = try outcome(ofMistake: "script: no script")
        XCTAssertEqual(outcome.reason, .uncaughtSignal)
        XCTAssertTrue(outcome.message.contains("a mine"))
        XCTAssertFalse(outcome.message.contains("HeadgateTesting:"), outcome.message)
    }
}
