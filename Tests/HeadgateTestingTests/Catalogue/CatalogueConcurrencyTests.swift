import HeadgateTesting
import XCTest

@testable import conformance

/// Everything that Headgate publishes stands threads that meet in it.
final class CatalogueConcurrencyTests: XCTestCase {
    func test_everythingStandsThreads() {
        let effort = StressEffort(rounds: 24, values: 24)
        for candidate in Candidate.catalogue.flatMap(\.members) {
            candidate.stress?(effort).check { XCTFail("\(candidate.name): \($0)", file: $1, line: $2) }
        }
    }
}
