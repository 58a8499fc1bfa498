public import Foundation
import XCTest

/// How a process has ended, and what it has written.
public struct ProbeOutcome: Sendable {
    /// Its exit code, or the number of the signal that ended it.
    public let status: Int32

    /// Whether it has exited by itself or been ended by a signal.
    public let reason: Process.TerminationReason

    /// What it wrote to the standard output.
    public let output: String

    /// What it wrote to the standard error.
    public let message: String
}

/// Runs the executable `TrapProbe`, which is built beside the tests, and has it make a mistake.
///
/// - Parameter backtraces: Whether Swift's backtracer catches signals. It takes long, and most tests have no use for it.
public func outcome(ofMistake mistake: String, backtraces: Bool = false) throws -> ProbeOutcome {
    let directory = try XCTUnwrap(Bundle.main.executableURL).deletingLastPathComponent()
    let process = Process()
    process.executableURL = directory.appendingPathComponent("TrapProbe")
    process.arguments = [mistake]
    let setting = backtraces ? "enable=yes,output-to=/dev/null" : "enable=no"
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": setting]) { $1 }
    let output = Pipe()
    let messages = Pipe()
    process.standardOutput = output
    process.standardError = messages
    try process.run()
    // It writes little, so that neither pipe is ever full while the other is read.
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let message = messages.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return ProbeOutcome(
        status: process.terminationStatus, reason: process.terminationReason,
        output: String(decoding: text, as: UTF8.self), message: String(decoding: message, as: UTF8.self))
}
