import Foundation
import HeadgateTesting
import HeadgateVerification
import XCTest

/// Every exhibit has to be caught, and by the rule that it breaks.
final class MuseumTests: XCTestCase {
    private let effort = Effort(systematicScripts: 600, randomScripts: 60)

    /// Does not wait long for what is known to hang.
    private let brisk = Effort(systematicScripts: 600, randomScripts: 60, timeout: 50)

    func test_everyExhibitIsCaughtByTheRuleThatItBreaks() {
        for exhibit in Museum.halls.flatMap(\.exhibits) {
            var (marks, report) = look(at: exhibit)
            // Some take two threads that meet, which is up to the machine.
            for _ in 0..<20 where !marks.contains(exhibit.mark) { (marks, report) = look(at: exhibit) }
            XCTAssertTrue(marks.contains(exhibit.mark), "\(exhibit.name) is not caught by \(exhibit.mark): \(report)")
        }
    }

    private func look(at exhibit: Exhibit) -> (marks: [String], report: String) {
        exhibit.look(exhibit.mark == Rule.noLockHeld.number ? brisk : effort)
    }

    func test_thePageShowsEveryExhibitAndNoOther() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("Documentation/Museum.md"), encoding: .utf8)
        let tables = page.components(separatedBy: "\n## ").dropFirst().map {
            "## " + $0.trimmingCharacters(in: .newlines)
        }
        XCTAssertEqual(
            tables,
            Museum.halls.map { name, exhibits in
                let rows = exhibits.map { "| `\($0.name)` | \($0.fault) | \($0.mark) | \($0.place) |" }
                let head = [
                    "## \(name)", "", "| exhibit | defect | caught by | found in |",
                    "| --- | --- | --- | --- |",
                ]
                return (head + rows).joined(separator: "\n")
            })
    }
}
