import Foundation
import HeadgateTesting
import XCTest

@testable import documentation

/// The time-lines of all documentation comments.
final class DocumentationTimeLineTests: XCTestCase {
    private struct Drawing {
        let file: String
        let line: Int
        let text: [String]
    }

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The blocks of code in comments that are in no language.
    private func drawings() throws -> [Drawing] {
        let sources = Self.root.appendingPathComponent("Sources").resolvingSymlinksInPath()
        return try FileManager.default.subpathsOfDirectory(atPath: sources.path).sorted()
            .filter { $0.hasSuffix(".swift") }.flatMap { file in
                let text = try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
                return CodeBlock.plain(inSource: text).map { Drawing(file: file, line: $0.line, text: $0.code) }
            }
    }

    func test_everyRowOfEveryTimeLineIsRead() throws {
        let drawings = try drawings()
        XCTAssertGreaterThan(drawings.count, 200)
        for drawing in drawings {
            let place = "\(drawing.file):\(drawing.line)"
            guard let line = DocumentedTimeLine(drawing.text) else {
                XCTFail("\(place) is no time-line")
                continue
            }
            for row in line.rows where row.signs.isEmpty {
                XCTAssertFalse(row.words.contains("--") && row.words.contains("|"), "\(place): \(row.words)")
            }
        }
    }

    func test_operatorsDoWhatTheirTimeLinesShow() throws {
        var executed = 0
        for drawing in try drawings() {
            guard let line = DocumentedTimeLine(drawing.text), let run = TimeLineRun(line, file: drawing.file),
                let found = run.played({ DocumentedOperators(rows: $0, scheduler: $1).named(run.name) })
            else { continue }
            executed += 1
            if let difference = run.difference(from: found) {
                XCTFail("\(drawing.file):\(drawing.line): \(difference)")
            }
        }
        // Who renames an operator in a time-line takes it out of this test.
        XCTAssertGreaterThanOrEqual(executed, 100)
    }
}
