import Foundation
import HeadgateTesting
import XCTest

@testable import HeadgateConformance
import HeadgateVerification

/// Everything that Headgate publishes is safe where threads meet in it: a test per family of the catalogue.
///
/// `--filter CatalogueConcurrencyTests.test_flattening` runs one of them; the environment variable `ROWS`, a part of
/// names, runs only such rows.
final class CatalogueConcurrencyTests: XCTestCase {
    private static let effort = StressEffort(rounds: 24, values: 24)

    private func isThreadSafe(_ title: String, file: StaticString = #filePath, line: UInt = #line) {
        let families = Candidate.catalogue.filter { $0.title == title }
        XCTAssertEqual(families.count, 1, title, file: file, line: line)
        let part = ProcessInfo.processInfo.environment["ROWS"] ?? ""
        for candidate in families.flatMap(\.members) where part.isEmpty || candidate.name.contains(part) {
            candidate.stress?(Self.effort).check { XCTFail("\(candidate.name): \($0)", file: $1, line: $2) }
        }
    }

    func test_everyFamilyHasATest() throws {
        let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
        for family in Candidate.catalogue {
            XCTAssertTrue(source.contains("isThreadSafe(\"\(family.title)\")"), "no test of \(family.title)")
        }
    }

    func test_creating() { isThreadSafe("Creating") }
    func test_simulating() { isThreadSafe("Simulating") }
    func test_notifying() { isThreadSafe("Notifying") }
    func test_subjects() { isThreadSafe("Subjects") }
    func test_subscribers() { isThreadSafe("Subscribers") }
    func test_transforming() { isThreadSafe("Transforming") }
    func test_filtering() { isThreadSafe("Filtering") }
    func test_trimming() { isThreadSafe("Trimming") }
    func test_selecting() { isThreadSafe("Selecting") }
    func test_reducing() { isThreadSafe("Reducing") }
    func test_matching() { isThreadSafe("Matching") }
    func test_observing() { isThreadSafe("Observing") }
    func test_recovering() { isThreadSafe("Recovering") }
    func test_joining() { isThreadSafe("Joining") }
    func test_combining() { isThreadSafe("Combining") }
    func test_flattening() { isThreadSafe("Flattening") }
    func test_buffering() { isThreadSafe("Buffering") }
    func test_sharing() { isThreadSafe("Sharing") }
    func test_sharedByTwo() { isThreadSafe("Shared by two") }
    func test_scheduling() { isThreadSafe("Scheduling") }
    func test_timing() { isThreadSafe("Timing") }
    func test_system() { isThreadSafe("The outside world") }
    func test_sockets() { isThreadSafe("The outside world, as it moves") }
    func test_bridging() { isThreadSafe("Bridging") }
    func test_awaiting() { isThreadSafe("Awaiting") }
    func test_actors() { isThreadSafe("Actors") }
    func test_flatteningFurther() { isThreadSafe("Flattening further") }
    func test_combiningFurther() { isThreadSafe("Combining further") }
    func test_controllingFlow() { isThreadSafe("Controlling flow") }
    func test_grouping() { isThreadSafe("Grouping") }
    func test_spreading() { isThreadSafe("Spreading and growing") }
    func test_retrying() { isThreadSafe("Retrying") }
    func test_succeeding() { isThreadSafe("Succeeding") }
    func test_materializing() { isThreadSafe("Materializing") }
    func test_replaying() { isThreadSafe("Replaying") }
    func test_watching() { isThreadSafe("Watching") }
}
