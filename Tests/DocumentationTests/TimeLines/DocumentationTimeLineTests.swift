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
        var unused = DocumentedOperators.notExecuted
        for drawing in try drawings() {
            guard let line = DocumentedTimeLine(drawing.text), let run = TimeLineRun(line, file: drawing.file) else {
                continue
            }
            let place = "\(drawing.file):\(drawing.line)"
            let scene = TimeLineScene(line)
            if DocumentedScenes.prepared(scene, named: run.name) {
                for difference in scene.differences() { XCTFail("\(place): \(run.name): \(difference)") }
            } else if let found = run.played({ DocumentedOperators(rows: $0, scheduler: $1).named(run.name) }) {
                if let difference = run.difference(from: found) { XCTFail("\(place): \(difference)") }
            } else if DocumentedOperators.notExecuted.contains(run.name) {
                unused.remove(run.name)
            } else {
                XCTFail("\(place): `DocumentedOperators` does not name \"\(run.name)\", so it is not executed.")
            }
        }
        XCTAssertEqual(unused, [], "No time-line has these names, or it is executed.")
    }
}
