import Foundation
import TestSupport
import XCTest

/// A mistake of the program ends it, and says which rule was broken, by what, and what to write instead.
///
/// The mistakes are made by the executable `TrapProbe`, which is built beside the tests.
final class SystemTrapTests: XCTestCase {
    func test_chunksBuffersAndPiecesOfNothingTrap() throws {
        try assertTraps("chunks of nothing", "A chunk has room", "chunk size of 0", "Leave the default of 64 KiB")
        try assertTraps("followed chunks of nothing", "A chunk has room", "chunk size of 0", "Leave the default")
        try assertTraps("program in chunks of nothing", "A chunk has room", "chunk size of 0", "Leave the default")
        try assertTraps("writing without a buffer", "A buffer has room", "buffer size of 0", "Leave the default")
        try assertTraps("lines of nothing", "A line may have one byte", "maximum length of 0", "Leave the default")
        try assertTraps("lines of bytes of nothing", "A line may have one byte", "length of -1", "Leave the default")
        try assertTraps("frames of nothing", "A frame may have one byte", "maximum length of 0", "Leave the default")
        try assertTraps("frames without a length", "The length of a frame", "9", "Say how many bytes")
        try assertTraps("frames without a delimiter", "What stands between frames", "no bytes", "Name the bytes")
        try assertTraps("run of a negative length", "what a program writes", "length of -1", "Leave the default")
    }

    func test_bytesBeforeTheBeginningOfAFileTrap() throws {
        try assertTraps("bytes before the beginning", "no bytes before its beginning", "-1..<5", "Begin the range at")
    }

    func test_signalsThatCannotBeCaughtTrap() throws {
        for (mistake, signal) in [
            ("signal that can't be caught", "SIGKILL"), ("signal of an instruction", "SIGSEGV"),
            ("signal that is none", "signal 0"),
        ] {
            try assertTraps(mistake, "can be caught", signal, "Leave it to the system")
        }
    }

    func test_negativeTimesTrap() throws {
        try assertTraps("negative grace", "The grace is zero", "-1.0 seconds", "Use .zero")
        try assertTraps("negative grace for the output", "The grace for the output", "-0.001 seconds", "Use .zero")
        try assertTraps("negative deadline", "The deadline of a shutdown", "-1.0 seconds", "Use .zero")
    }

    func test_timesThatAreNoneTrap() throws {
        try assertTraps("timer faster than the wall clock", "once a second", "every 0 seconds", "Use Publishers.timer")
        try assertTraps("time that is no time", "A time of day", "24:0:0", "Use hours of the day")
    }

    func test_placesOutsideOfBytesTrap() throws {
        for mistake in ["index beyond the bytes", "range beyond the bytes"] {
            let outcome = try outcome(ofMistake: mistake)
            XCTAssertNotEqual(outcome.status, 0)
            XCTAssertTrue(outcome.message.contains("of Bytes is out of range"), outcome.message)
        }
    }

    private func assertTraps(
        _ mistake: String, _ rule: String, _ value: String, _ remedy: String, file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        let outcome = try outcome(ofMistake: mistake)
        XCTAssertNotEqual(outcome.status, 0, file: file, line: line)
        for part in [rule, "Found: ", value, remedy] {
            XCTAssertTrue(
                outcome.message.contains(part), "no \"\(part)\" in: \(outcome.message)", file: file, line: line)
        }
    }
}
