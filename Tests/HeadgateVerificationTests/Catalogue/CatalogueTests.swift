import Foundation
import HeadgateCore
import Headgate
import HeadgateTesting
import TestSupport
import XCTest

@testable import HeadgateConformance
import HeadgateVerification

extension Candidate {
    /// The operators of the catalogue, with their names.
    static var operations: [(name: String, operation: Operation)] {
        catalogue.flatMap(\.members).compactMap { candidate in candidate.operation.map { (candidate.name, $0) } }
    }
}

/// Everything that Headgate publishes keeps to the contract, and the catalogue has everything.
final class CatalogueTests: XCTestCase {
    // The rest is done in a release build, by the program `HeadgateConformance`.
    private let effort = Effort(systematicScripts: 200, randomScripts: 40)

    func test_everythingKeepsToTheContract() {
        // One after the other: some rows share an object that they observe.
        for candidate in Candidate.catalogue.flatMap(\.members) {
            candidate.verify(effort).check { XCTFail("\(candidate.name): \($0)", file: $1, line: $2) }
        }
    }

    /// An excuse that is not needed would hide a defect that comes later.
    func test_onlyOperatorsThatNeedAnExcuseAreExcused() {
        let rows = Dictionary(uniqueKeysWithValues: Candidate.rows.flatMap(\.members).map { ($0.name, $0) })
        let small = Effort(systematicScripts: 60, randomScripts: 10)
        for name in Candidate.requestsOfTheirOwn.values.flatMap(\.self) {
            guard let row = rows[name] else { XCTFail("There is no row \(name)."); continue }
            XCTAssertTrue(row.verify(small).brokenRules.contains(.requestsOnlyForDemand), name)
        }
        for name in Candidate.ordersOfTheirOwn.values.flatMap(\.self) {
            guard let row = rows[name] else { XCTFail("There is no row \(name)."); continue }
            XCTAssertTrue(row.verify(small).brokenRules.contains(.subscribesUpstreamFirst), name)
        }
    }

    func test_namesAreGivenOnce() {
        let names = Candidate.catalogue.flatMap(\.members).map(\.name)
        XCTAssertEqual(names.count, Set(names).count)
    }

    /// Whatever is declared to be a publisher is the type of something in the catalogue.
    func test_everyPublisherIsInTheCatalogue() throws {
        let sources = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources")
        var declared: Set<String> = []
        for folder in ["HeadgateCombine", "Headgate", "HeadgateFoundation", "HeadgateSystem"] {
            let files = FileManager.default.enumerator(
                at: sources.appendingPathComponent(folder), includingPropertiesForKeys: nil)
            for case let file as URL in try XCTUnwrap(files) where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                let declarations = text.matches(
                    of: /public (?:struct|final class) (\w+)(?:<[^{]*?>)?:\s+[^{]*?(?:Publisher|Subject)\b/)
                declared.formUnion(declarations.map { String($0.1) })
            }
        }
        let present = Candidate.catalogue.flatMap(\.members)
            .flatMap { String(reflecting: $0.type).split { !$0.isLetter && !$0.isNumber }.map(String.init) }
        let missing = declared.subtracting(present)
        XCTAssertGreaterThan(declared.count, 90)
        XCTAssertEqual(
            missing.sorted(),
            ["Create", "DataTaskPublisher", "ForeignBytePieces", "ForeignTextLines", "Listener", "TimerPublisher"],
            "these need time that passes, or somebody who writes or connects, show as AnyPublisher, or are others with another failure"
        )
    }

    func test_theTableHasARowForEverySubjectAndAColumnForEveryRule() {
        let families = Candidate.catalogue.prefix(2).map { family in
            Family(family.title, Array(family.members.prefix(2))).map { Page.Report($0.name, $0.verify(effort)) }
        }
        let lines = Conformance.table(of: families).split(separator: "\n", omittingEmptySubsequences: false)
        XCTAssertEqual(lines.count, 9)
        XCTAssertTrue(lines[0].hasPrefix("Creating"))
        XCTAssertTrue(lines[0].contains("1.1 1.2 1.3"))
        XCTAssertTrue(lines[1].hasPrefix("(1...6).publisher"))
        XCTAssertFalse(lines[1].contains("#"))
        XCTAssertEqual(lines[3], "")
        XCTAssertTrue(lines[4].hasPrefix("Simulating"))
    }

    func test_aShortTableHasARowForEachFamilyInWhichARuleHoldsThatHoldsForAMember() throws {
        let sound = verify(publisher: (1...3).publisher, .finite, effort: effort)
        let unsound = verify(publisher: MisbehavingPublisher<Int, Never>(.ignoresDemand), .finite, effort: effort)
        let empty = verify(publisher: Empty<Int, Never>(), .finite, effort: effort)
        func rows(_ families: Family<Page.Report>...) -> [Substring] {
            Conformance.table(of: families, isShort: true).split(separator: "\n").map { $0.drop { $0 != " " } }
        }
        let single = rows(Family("one", [("a", sound)]))
        XCTAssertEqual(rows(Family("two", [("a", empty), ("b", sound)])), single)
        XCTAssertTrue(single[1].contains("+"))
        XCTAssertTrue(rows(Family("two", [("a", sound), ("b", unsound)]))[1].contains("#"))
    }
}
