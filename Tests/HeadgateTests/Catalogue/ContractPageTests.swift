import Foundation
import XCTest

/// The page of the contract names tests that exist, and enough of them.
final class ContractPageTests: XCTestCase {
    private let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    func test_everyTestThatIsNamedExists() throws {
        let tests = try testsOfThePackage()
        XCTAssertGreaterThan(tests.count, 500)
        for name in testsNamed(in: try page()) {
            XCTAssertTrue(tests.contains(name), "there is no \(name)")
        }
    }

    func test_everyRuleIsHeldByTwoTestsAtLeast() throws {
        let rules = try page().split(separator: "\n").filter { $0.prefixMatch(of: /\| \d\.\d \|/) != nil }
        XCTAssertGreaterThan(rules.count, 30)
        for rule in rules {
            XCTAssertGreaterThanOrEqual(testsNamed(in: String(rule)).count, 2, "too few tests hold \(rule)")
        }
    }

    private func page() throws -> String {
        try String(contentsOf: root.appendingPathComponent("Documentation/Contract.md"), encoding: .utf8)
    }

    /// What stands between back-quotes and looks like a test of a class.
    private func testsNamed(in text: String) -> [String] {
        text.matches(of: /`(\w+Tests\.test_\w+)`/).map { String($0.1) }
    }

    /// Every test in the sources, as in `MapTests.test_publishesWhatTheClosureMakes`.
    private func testsOfThePackage() throws -> Set<String> {
        let folder = root.appendingPathComponent("Tests")
        let files = try XCTUnwrap(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var tests: Set<String> = []
        for case let file as URL in files where file.lastPathComponent.hasSuffix("Tests.swift") {
            var suite = Substring()
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            where line.contains("class ") || line.contains("func test_") {
                let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                if line.hasSuffix(": XCTestCase {"), let keyword = words.firstIndex(of: "class") {
                    suite = words[keyword + 1]
                } else if words.count > 1, words[0] == "func" {
                    tests.insert("\(suite).\(words[1])")
                }
            }
        }
        return tests
    }
}
