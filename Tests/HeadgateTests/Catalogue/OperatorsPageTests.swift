import Foundation
import XCTest

/// The page of operators lists all of them, and its examples print what it says.
final class OperatorsPageTests: XCTestCase {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func page() throws -> String {
        try String(contentsOf: Self.root.appendingPathComponent("Documentation/Operators.md"), encoding: .utf8)
    }

    private func blocks() throws -> [[String]] {
        try page().components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0].split(separator: "\n").map(String.init)
        }
    }

    func test_everyExampleIsTheOneThatIsRunAndPrintsWhatThePageSays() throws {
        let source = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("OperatorExamples.swift"), encoding: .utf8
        ).filter { !$0.isWhitespace }
        let blocks = try blocks()
        XCTAssertEqual(blocks.count, OperatorExamples.all.count)
        for (block, example) in zip(blocks, OperatorExamples.all) {
            let code = block.filter { !$0.hasPrefix("//") }.joined().filter { !$0.isWhitespace }
            XCTAssertTrue(source.contains(code), block.joined(separator: "\n"))
            let expected = block.filter { $0.hasPrefix("// ") }.map { String($0.dropFirst(3)) }
            XCTAssertEqual(OperatorExamples.output(of: example), expected, block[0])
        }
    }

    /// Whatever is declared in an extension of publishers or of collections of them stands on the page.
    func test_everyOperatorIsOnThePage() throws {
        let words = Set(try page().split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        var names: [String: String] = [:]
        for folder in ["HeadgateCombine", "Headgate"] {
            let files = FileManager.default.enumerator(
                at: Self.root.appendingPathComponent("Sources/\(folder)"), includingPropertiesForKeys: nil)
            for case let file as URL in try XCTUnwrap(files) where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                let extensions = text.matches(
                    of:
                        /(?ms)^extension (?:Publisher|Publishers|Collection|AnyPublisher|AsyncSequence)\b[^{]*\{(.*?)^\}/
                )
                for block in extensions {
                    let declarations = String(block.1).matches(
                        of: /(?m)^    (?:@\w+(?:\([^)]*\))? )*public (?:static )?(?:func|var) `?(\w+)/)
                    for name in declarations { names[String(name.1)] = file.lastPathComponent }
                }
            }
        }
        // Twins that throw are named by their rule.
        let missing = names.keys.filter { !words.contains($0) && !$0.hasPrefix("_") && !$0.hasPrefix("try") }
        XCTAssertGreaterThan(names.count, 120)
        XCTAssertEqual(missing.sorted(), [])
    }
}
