import HeadgateTesting
import XCTest

@testable import conformance

/// Everything that Headgate publishes keeps to the contract.
final class CatalogueTests: XCTestCase {
    private let effort = Effort(systematicScripts: 600, randomScripts: 40)

    private func assertConforming(
        _ candidates: [Candidate], file: StaticString = #filePath, line: UInt = #line
    ) {
        for candidate in candidates {
            candidate.verify(effort).check(file: file, line: line) {
                XCTFail("\(candidate.name): \($0)", file: $1, line: $2)
            }
        }
    }

    func test_publishers() { assertConforming(Candidate.publishers) }

    func test_transparentOperators() { assertConforming(Candidate.transparentOperators) }

    func test_operators() { assertConforming(Candidate.operators) }

    func test_joiningOperators() { assertConforming(Candidate.joiningOperators) }

    func test_timedOperators() { assertConforming(Candidate.timedOperators) }

    func test_subjects() { assertConforming(Candidate.subjects) }

    func test_theTableHasARowForEverySubjectAndAColumnForEveryRule() {
        let reports = Candidate.publishers.prefix(2).map { ($0.name, $0.verify(effort)) }
        let lines = Conformance.table(of: reports).split(separator: "\n")
        XCTAssertEqual(lines.count, 4)
        XCTAssertTrue(lines[0].contains("1.1 1.2 1.3"))
        XCTAssertTrue(lines[1].hasPrefix("Sequence"))
        XCTAssertFalse(lines[1].contains("#"))
    }
}
