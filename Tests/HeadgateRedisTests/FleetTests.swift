import Foundation
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

/// The example `fleet`, under fire: for ten minutes where HEADGATE_EFFORT is full, and for seconds otherwise.
final class FleetTests: RedisTestCase {
    func test_losesNothing() throws {
        // Skips where there is no server.
        _ = try RealServer.shared()
        let program = Bundle.main.executableURL!.deletingLastPathComponent().appendingPathComponent("fleet")
        let process = Process()
        process.executableURL = program
        let count = Effort.number(100_000, otherwise: 3_000)
        process.arguments = [
            "--entries", "\(count)", "--kill", "2", "--cut", Effort.isFull ? "3" : "1", "--crash",
            Effort.isFull ? "5" : "1", "--seconds", Effort.isFull ? "600" : "3",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0, text)
        XCTAssertTrue(text.contains("\(count) added, \(count - 10) processed at least once, "), text)
        XCTAssertTrue(text.contains(" repeated, 0 lost\n"), text)
        XCTAssertTrue(text.contains("dead letters       10\n"), text)
    }
}
