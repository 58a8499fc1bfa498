import Foundation
import XCTest

/// The page of the architecture names every piece once.
final class ArchitecturePageTests: XCTestCase {
    func test_everyFileOfConduitsStandsInTheTablesOnce() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("Documentation/Architecture.md"), encoding: .utf8)
        let pieces = page.split(separator: "\n").compactMap { line in
            line.hasPrefix("| `") ? line.split(separator: "|")[0].split(separator: "`") : nil
        }
        .joined()
        let files = try FileManager.default.contentsOfDirectory(
            atPath: root.appendingPathComponent("Sources/Headgate/Conduits").path)
        // What stands behind a plus is an aspect of the piece before it.
        let names = Set(files.compactMap { $0.split { $0 == "." || $0 == "+" }.first })
        XCTAssertGreaterThan(names.count, 30)
        for name in names {
            XCTAssertEqual(pieces.count { $0 == name }, 1, "\(name) is not in the tables once")
        }
    }
}
