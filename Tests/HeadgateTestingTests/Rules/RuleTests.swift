import Foundation
import HeadgateTesting
import XCTest

final class RuleTests: XCTestCase {
    func test_rulesAreThoseOfTheContract() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let contract = try String(
            contentsOf: root.appendingPathComponent("Documentation/Contract.md"), encoding: .utf8)
        let rows = contract.split(separator: "\n").compactMap { line -> String? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard let number = cells.first, number.count == 3, number.first?.isNumber == true else { return nil }
            return "\(number) \(cells[1])"
        }
        XCTAssertEqual(Rule.all.map(\.description), rows)
        XCTAssertEqual(Rule.all, Rule.all.sorted())
    }

    func test_isFoundByItsNumber() {
        XCTAssertEqual(Rule(number: "4.3"), .cancelStopsDelivery)
        XCTAssertNil(Rule(number: "9.9"))
    }
}
