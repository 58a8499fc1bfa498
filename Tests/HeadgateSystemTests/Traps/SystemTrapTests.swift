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
        try assertTraps("lines of nothing", "The maximum length of a line", "maximum length of 0", "Leave the default")
        try assertTraps(
            "lines of bytes of nothing", "The maximum length of a line", "length of -1", "Leave the default")
        try assertTraps(
            "frames of nothing", "The maximum length of a frame", "maximum length of 0", "Leave the default")
        try assertTraps("frames without a length", "The length of a frame", "9", "Pass the size")
        try assertTraps("frames without a delimiter", "A delimiter has at least", "no bytes", "Pass the bytes")
        try assertTraps("run of a negative length", "length of a program's output", "length of -1", "Leave the default")
    }

    func test_bytesBeforeTheBeginningOfAFileTrap() throws {
        try assertTraps("bytes before the beginning", "no bytes before its beginning", "-1..<5", "Pass a range")
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
        try assertTraps(
            "table drawn without a pause", "The interval", "live(every: 0.0 seconds)", "a quarter of a second")
        try assertTraps("negative grace", "The grace is at least zero", "-1.0 seconds", "Use .zero")
        try assertTraps("negative grace for the output", "The grace for the output", "-0.001 seconds", "Use .zero")
        try assertTraps("socket: stall of less than no time", "The limit of a stall", "-1.0 seconds", "Pass nil")
        try assertTraps("less than no time for a replaced file", "replaced file is read on", "-1.0 seconds", "zero")
        try assertTraps("acknowledgement in no time", "The limit of an acknowledgement", "0.0 seconds", "Pass nil")
        try assertTraps("negative deadline", "The deadline of a shutdown", "-1.0 seconds", "Use .zero")
    }

    func test_timesThatAreNoneTrap() throws {
        try assertTraps(
            "timer faster than the wall clock", "once per second", "every 0 seconds", "Use Publishers.timer")
        try assertTraps("time that is no time", "A time of day", "24:0:0", "Pass a time of the day")
    }

    func test_placesOutsideOfBytesTrap() throws {
        try assertTraps("index beyond the bytes", "which is 0..<4", "4", "Begin at")
        try assertTraps("range beyond the bytes", "which is 0..<4", "2..<5", "Begin at")
    }

    func test_bytesInMemoryThatIsNotThereTrap() throws {
        try assertTraps("room for fewer than no bytes", "a capacity of at least 0", "-1", "Pass the size")
        try assertTraps("more bytes than there is room for", "fills at most the capacity", "2", "Return the number")
    }

    func test_backlogsBuffersAndProbesOfNothingTrap() throws {
        try assertTraps("socket: backlog of nobody", "A backlog has room for at least one", "0", "Leave the default")
        try assertTraps(
            "socket: backlog of fewer than nobody", "A backlog has room for at least one", "-5", "Leave the default")
        try assertTraps("socket: sending without a buffer", "A socket buffer has room", "0", "Pass nil")
        try assertTraps("socket: receiving without a buffer", "A socket buffer has room", "-1", "Pass nil")
        try assertTraps("socket: keep-alive at once", "keep-alive are at least one", "0, 10, 6", "Pass nil")
        try assertTraps("socket: keep-alive without a pause", "keep-alive are at least one", "60, -2, 6", "Pass nil")
        try assertTraps("socket: keep-alive without a probe", "keep-alive are at least one", "60, 10, 0", "Pass nil")
    }

    func test_chunksPiecesAndBuffersOfNothingTrapOnConnectionsToo() throws {
        try assertTraps(
            "socket: received chunks of nothing", "A chunk has room", "chunk size of 0", "Leave the default")
        try assertTraps(
            "socket: received lines of nothing", "The maximum length of a line", "maximum length of 0",
            "Leave the default")
        try assertTraps(
            "socket: received frames of nothing", "The maximum length of a frame", "maximum length of -1", "Leave the")
        try assertTraps(
            "socket: writing without a buffer", "A buffer has room", "buffer size of -1", "Leave the default")
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
