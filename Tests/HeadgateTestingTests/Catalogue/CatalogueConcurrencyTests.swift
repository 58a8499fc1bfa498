import Foundation
import HeadgateTesting
import XCTest

@testable import HeadgateConformance

/// Everything that Headgate publishes stands threads that meet in it: a test per family of the catalogue.
///
/// `--filter CatalogueConcurrencyTests.test_flattening` runs one of them; the environment variable `ROWS`, a part of
/// names, runs only such rows.
final class CatalogueConcurrencyTests: XCTestCase {
    private static let effort = StressEffort(rounds: 24, values: 24)

    private func standsThreads(_ title: String, file: StaticString = #filePath, line: UInt = #line) {
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
            XCTAssertTrue(source.contains("standsThreads(\"\(family.title)\")"), "no test of \(family.title)")
        }
    }

    func test_creating() { standsThreads("Creating") }
    func test_simulating() { standsThreads("Simulating") }
    func test_notifying() { standsThreads("Notifying") }
    func test_subjects() { standsThreads("Subjects") }
    func test_subscribers() { standsThreads("Subscribers") }
    func test_transforming() { standsThreads("Transforming") }
    func test_filtering() { standsThreads("Filtering") }
    func test_trimming() { standsThreads("Trimming") }
    func test_selecting() { standsThreads("Selecting") }
    func test_reducing() { standsThreads("Reducing") }
    func test_matching() { standsThreads("Matching") }
    func test_observing() { standsThreads("Observing") }
    func test_recovering() { standsThreads("Recovering") }
    func test_joining() { standsThreads("Joining") }
    func test_combining() { standsThreads("Combining") }
    func test_flattening() { standsThreads("Flattening") }
    func test_buffering() { standsThreads("Buffering") }
    func test_sharing() { standsThreads("Sharing") }
    func test_scheduling() { standsThreads("Scheduling") }
    func test_timing() { standsThreads("Timing") }
    func test_system() { standsThreads("The outside world") }
    func test_sockets() { standsThreads("The outside world, as it moves") }
    func test_bridging() { standsThreads("Bridging") }
    func test_awaiting() { standsThreads("Awaiting") }
    func test_actors() { standsThreads("Actors") }
    func test_flatteningFurther() { standsThreads("Flattening further") }
    func test_combiningFurther() { standsThreads("Combining further") }
    func test_controllingFlow() { standsThreads("Controlling flow") }
    func test_grouping() { standsThreads("Grouping") }
    func test_spreading() { standsThreads("Spreading and growing") }
    func test_retrying() { standsThreads("Retrying") }
    func test_succeeding() { standsThreads("Succeeding") }
    func test_materializing() { standsThreads("Materializing") }
    func test_replaying() { standsThreads("Replaying") }
    func test_watching() { standsThreads("Watching") }
}
