import Foundation
import XCTest

/// The example `fleet`, under fire: for ten minutes where the variable HEADGATE_EFFORT is `full`, and for seconds otherwise.
final class FleetTests: XCTestCase {
    func test_losesNothing() throws {
        let environment = ProcessInfo.processInfo.environment
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        guard folders.contains(where: { access("\($0)/redis-server", X_OK) == 0 }) else {
            throw XCTSkip("There is no redis-server: apt-get install redis-server")
        }
        let isFull = environment["HEADGATE_EFFORT"] == "full"
        let count = isFull ? 100_000 : 3_000
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Example.path(of: "fleet"))
        process.arguments = [
            "--entries", "\(count)", "--kill", "2", "--cut", isFull ? "3" : "1", "--crash", isFull ? "5" : "1",
            "--seconds", isFull ? "600" : "3",
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
