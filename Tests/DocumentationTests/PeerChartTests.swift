import Foundation
import HeadgateTesting
import XCTest

@testable import documentation

final class PeerChartTests: XCTestCase {
    private let results = """
        | workload | element | Headgate | by hand | OpenCombine | RxSwift | ReactiveSwift | AsyncAlgorithms |
        | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
        | share to 10,000 | delivery | 28 | 16 | 417 | 169 | 3,304 | |
        | Channel of 64 | value | 364 | 864, AsyncStream | none | | | |
        | range-sink | value | 48 | 11 | 4.4 | 53 | yes |
        """

    func test_readsWhatWasMeasuredOfEachLibrary() {
        let rows = PeerChart(results: results).rows
        XCTAssertEqual(rows.map(\.workload), ["share to 10,000", "Channel of 64"])
        XCTAssertEqual(rows.map(\.headgate), [28, 364])
        XCTAssertEqual(rows[0].others.map(\.name), ["OpenCombine", "RxSwift", "ReactiveSwift"])
        XCTAssertEqual(rows[0].others.map(\.nanoseconds), [417, 169, 3304])
        XCTAssertTrue(rows[1].others.isEmpty)
    }

    func test_drawsOursAndTheFastestOfTheOthersAsBarsAndTheRestAsMarks() throws {
        let svg = try PeerChart(results: results).svg(workloads: ["share to 10,000"], ground: .any)
        XCTAssertEqual(svg.components(separatedBy: "class=\"headgate\"").count - 1, 1)
        XCTAssertEqual(svg.components(separatedBy: "class=\"best\"").count - 1, 1)
        XCTAssertTrue(svg.contains(">169 RxSwift</text>"))
        XCTAssertEqual(svg.components(separatedBy: "class=\"other\"").count - 1, 2)
    }

    func test_aBarIsAsLongAsTheLogarithmOfItsTime() throws {
        let results = "| a | value | 10 | | 1,000 | | | |"
        let svg = try PeerChart(results: results).svg(workloads: ["a"], ground: .any)
        XCTAssertTrue(svg.contains("width=\"115\""))
        XCTAssertTrue(svg.contains("width=\"345\""))
    }

    func test_refusesAWorkloadThatIsNotCompared() {
        let chart = PeerChart(results: results)
        XCTAssertThrowsError(try chart.svg(workloads: ["gone"], ground: .any))
        XCTAssertThrowsError(try chart.svg(workloads: ["Channel of 64"], ground: .any))
    }

    func test_everyWorkloadOfTheChartIsInTheResults() throws {
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../..").standardizedFileURL
        let chart = PeerChart(
            results: try String(contentsOf: repository.appendingPathComponent("Benchmarks/RESULTS.md"), encoding: .utf8)
        )
        XCTAssertNoThrow(try chart.svg(workloads: PeerChart.overview, ground: .any))
        // Pages say that no other library is faster at these.
        for row in chart.rows where PeerChart.overview.contains(row.workload) {
            XCTAssertLessThan(row.headgate, row.others.map(\.nanoseconds).min() ?? 0, row.workload)
        }
    }
}
