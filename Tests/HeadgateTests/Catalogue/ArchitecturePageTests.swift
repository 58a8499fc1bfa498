import Foundation
import XCTest

/// The page of the architecture names every piece once.
final class ArchitecturePageTests: XCTestCase {
    func test_everyFileOfTheEngineStandsInTheTablesOnce() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("Documentation/Architecture.md"), encoding: .utf8)
        let pieces = page.split(separator: "\n").compactMap { line in
            line.hasPrefix("| `") ? line.split(separator: "|")[0].split(separator: "`") : nil
        }
        .joined()
        let files = try FileManager.default.subpathsOfDirectory(
            atPath: root.appendingPathComponent("Sources/HeadgateEngine").path)
        // What follows a plus is an aspect of the piece before it.
        let names = Set(
            files.filter { $0.hasSuffix(".swift") }
                .compactMap { $0.split(separator: "/").last?.split { $0 == "." || $0 == "+" }.first })
        XCTAssertGreaterThan(names.count, 30)
        for name in names {
            XCTAssertEqual(pieces.count { $0 == name }, 1, "\(name) is not in the tables once")
        }
    }
}
