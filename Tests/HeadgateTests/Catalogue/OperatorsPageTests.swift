import Foundation
import XCTest

/// The page of operators lists all of them.
final class OperatorsPageTests: XCTestCase {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func page() throws -> String {
        try String(contentsOf: Self.root.appendingPathComponent("Documentation/Operators.md"), encoding: .utf8)
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
