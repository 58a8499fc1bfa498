import HeadgateTesting
import XCTest

@testable import documentation

final class ChartTests: XCTestCase {
    private let results = """
        | workload | element | instructions | by hand | ratio | reach | met |
        | --- | --- | ---: | ---: | ---: | ---: | --- |
        | range-sink | value | 48 | 11 | 4.4 | 53 | yes |
        | for-await | value | 929 (varies) | 13324 | 0.1 | 1500 | yes |
        | memory | live subscription, bytes | 349 |  |  | 350 | yes |
        """

    func test_readsTheRowsThatHaveSomethingToBeComparedWith() {
        let chart = Chart(results: results)
        XCTAssertEqual(chart.rows.map(\.workload), ["range-sink", "for-await"])
        XCTAssertEqual(chart.rows.map(\.instructions), [48, 929])
        XCTAssertEqual(chart.rows.map(\.byHand), [11, 13324])
    }

    func test_drawsTwoBarsForEachRow() throws {
        let svg = try Chart(results: results).svg(workloads: ["range-sink"])
        XCTAssertEqual(svg.components(separatedBy: "class=\"ours\"").count - 1, 1)
        XCTAssertEqual(svg.components(separatedBy: "class=\"hand\"").count - 1, 1)
        XCTAssertTrue(svg.contains(">48</text>"))
    }

    func test_refusesAWorkloadThatHasNoRow() {
        XCTAssertThrowsError(try Chart(results: results).svg(workloads: ["gone"]))
    }

    func test_everyWorkloadOfTheChartIsInTheResults() throws {
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../..").standardizedFileURL
        let chart = Chart(
            results: try String(contentsOf: repository.appendingPathComponent("Benchmarks/RESULTS.md"), encoding: .utf8)
        )
        let names = Set(chart.rows.map(\.workload))
        for name in Chart.overview { XCTAssertTrue(names.contains(name), name) }
    }
}
