import TestSupport
import XCTest

/// A mistake of the program ends it, and says which rule was broken, by what, and what to write instead.
///
/// The mistakes are made by the executable `TrapProbe`, which is built beside the tests.
final class RedisTrapTests: XCTestCase {
    func test_limitsOfAddingTrap() throws {
        try assertTraps("no entry under way", "At least one entry", "maxInFlight: 0", "Pass 1")
        for (mistake, value) in [("about fewer than no entries", "-1"), ("fewer than no entries", "-2")] {
            try assertTraps(mistake, "The number of entries that are kept", value, "Pass .none")
        }
    }

    func test_batchesOfNothingTrap() throws {
        try assertTraps("batch of nothing", "at least one delivery", "batch: 0", "Pass 1")
        try assertTraps("batch of a negative time", "waits for a time", "-0.005 seconds", "Pass .zero")
    }

    func test_limitsOfDeliveringTrap() throws {
        try assertTraps("takeover at once", "at least a millisecond", "0.000999 seconds", "or nil")
        try assertTraps("fewer than one delivery", "delivered at least once", ".atMost(0", "how often")
        try assertTraps("work of no time", "longest time of work", "0.0 seconds", "or nil")
        try assertTraps("reads of nothing", "readSize", "0", "Pass how many bytes")
        try assertTraps("lag all the time", "at least a millisecond", "every: 0.0 seconds", "Pass a time")
        try assertTraps("rest on another server", "within one server", "another Redis", "the same Redis")
    }

    func test_limitsOfPartitionsTrap() throws {
        try assertTraps("no partition", "from one to 65536 partitions", "count: 0", "such as 64")
        try assertTraps("fewer than no partitions", "from one to 65536 partitions", "count: -3", "such as 64")
        try assertTraps("partition beyond the last", "from 0 to 1", "2", "one of these")
        try assertTraps("lease of no time", "at least a second", "lease: 0.999 seconds", "ten seconds")
        try assertTraps("handing over before the beginning", "handingOverWithin", "-1.0 seconds", "Pass .zero")
    }

    func test_messagesAndCommandsOfNothingTrap() throws {
        try assertTraps("messages of nobody", "come from channels", "no channel", "Pass the name")
        try assertTraps("room for fewer than no messages", "can't be negative", "dropNewest(-1)", "Pass zero")
        try assertTraps("command without a name", "has a name", "no arguments", "Pass the name")
        try assertTraps("transaction of nothing", "consists of commands", "[]", "Pass the name")
        try assertTraps("fewer than no attempts", "commandRetries", "-1", "Pass zero")
    }

    func test_timesThatAreNoneTrap() throws {
        try assertTraps("connecting in no time", "connectingTime", "0.0 seconds", "Pass a time")
        try assertTraps("answers in no time", "answeringTime", "-1.0 seconds", "Pass a time")
        try assertTraps("idle for less than no time", "The idleTime", "-1.0 seconds", "Pass .zero")
    }

    private func assertTraps(
        _ mistake: String, _ rule: String, _ value: String, _ remedy: String, file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        let outcome = try outcome(ofMistake: "redis: \(mistake)")
        XCTAssertNotEqual(outcome.status, 0, file: file, line: line)
        for part in [rule, "Found: ", value, remedy] {
            XCTAssertTrue(
                outcome.message.contains(part), "no \"\(part)\" in: \(outcome.message)", file: file, line: line)
        }
    }
}
