import Foundation
import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// What `Documentation/CombineCompatibility.md` says.
final class CompatibilityPageTests: XCTestCase {
    private let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The tests that are there: `Class.test_promise`.
    private func tests() throws -> Set<String> {
        var names: Set<String> = []
        let folder = root.appendingPathComponent("Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        for case let file as URL in try XCTUnwrap(files) where file.pathExtension == "swift" {
            var testCase = ""
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let words = line.split(separator: " ", maxSplits: 4)
                if let word = words.firstIndex(of: "class"), line.hasSuffix(": XCTestCase {") {
                    testCase = words[word + 1].dropLast().description
                } else if let word = words.first(where: { $0.hasPrefix("test_") }), words.contains("func") {
                    names.insert(testCase + "." + word.prefix { $0 != "(" })
                }
            }
        }
        return names
    }

    func test_everyTestThatThePageNamesIsThere() throws {
        let page = try String(
            contentsOf: root.appendingPathComponent("Documentation/CombineCompatibility.md"), encoding: .utf8)
        let named = Set(page.matches(of: /`(\w+\.test_\w+)`/).map { String($0.1) })
        XCTAssertGreaterThan(named.count, 50)
        XCTAssertEqual(named.subtracting(try tests()).sorted(), [])
    }

    /// Each word in code of a row that says "same" is in one of the tests that hold these rows.
    func test_everyRowThatSaysSameIsHeld() throws {
        let page = try String(
            contentsOf: root.appendingPathComponent("Documentation/CombineCompatibility.md"), encoding: .utf8)
        let tables = try XCTUnwrap(page.components(separatedBy: "## Deliberate differences").first)
        let folders = ["Tests/HeadgateTests/Catalogue", "Tests/HeadgateFoundationTests", "Tests/HeadgateCombineTests"]
        var tests = ""
        for folder in folders {
            let files = FileManager.default.enumerator(
                at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
            for case let file as URL in try XCTUnwrap(files) where file.pathExtension == "swift" {
                tests += try String(contentsOf: file, encoding: .utf8)
            }
        }
        let words = Set(tests.matches(of: /\w+/).map { String($0.0) })
        for row in tables.split(separator: "\n") where row.contains("| same") {
            let cell = row.split(separator: "|")[0]
            for code in cell.matches(of: /`([^`]+)`/) {
                let missing = code.1.matches(of: /[A-Za-z]\w+/).map { String($0.0) }.filter { !words.contains($0) }
                XCTAssertEqual(missing, [], "no test has \(code.1)")
            }
        }
    }

    func test_everyDifferenceThatATableNamesIsDescribed() throws {
        let page = try String(
            contentsOf: root.appendingPathComponent("Documentation/CombineCompatibility.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("|") }.joined()
        let named = Set(rows.matches(of: /\bD(\d+)\b/).map { String($0.1) })
        let described = Set(page.matches(of: /\*\*D(\d+)\./).map { String($0.1) })
        XCTAssertEqual(named, described)
    }

    func test_aRunOfOperatorsShowsTheLastNameOfItsOwn() {
        func expect(_ name: String, of publisher: some Publisher<Int, Never>, line: UInt = #line) {
            let subscriber = TestSubscriber<Int, Never>.checked()
            publisher.subscribe(subscriber)
            XCTAssertEqual(subscriber.received, [.subscription(name)], line: line)
        }
        let numbers = TestPublisher<Int, Never>()
        expect("Drop", of: numbers.prefix(3).dropFirst().map { $0 })
        expect("Output", of: numbers.dropFirst().filter { $0 > 0 }.prefix(3))
    }
}
