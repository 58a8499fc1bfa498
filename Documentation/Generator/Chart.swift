import Foundation
import HeadgateTesting

/// The table of `Benchmarks/RESULTS.md` as bars: ours beside the plain loop.
struct Chart {
    struct Row {
        let workload: String
        let element: String
        let instructions: Int
        let byHand: Int
    }

    let rows: [Row]

    /// Reads the rows of the table.
    init(results: String) {
        rows = results.components(separatedBy: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { String($0).trimmed }
            guard cells.count == 7, let byHand = Int(cells[3]),
                let instructions = Int(cells[2].prefix { $0.isNumber })
            else { return nil }
            return Row(workload: cells[0], element: cells[1], instructions: instructions, byHand: byHand)
        }
    }

    /// The workloads with reproducible counts, without tasks and threads, in groups that share a scale.
    static let groups: [(name: String, title: String, workloads: [String])] = [
        (
            "chart-values", "Instructions per value read",
            [
                "range-sink", "range-map-filter-sink", "range-prefix-map-sink", "range-scan-reduce-sink", "pairwise",
                "range-ten-maps-sink", "range-ten-map-literals-sink", "one-by-one", "range-buffer-128-sink",
                "range-collect-10-sink", "flat-map-just", "flat-map-sequences-of-100",
            ]
        ),
        (
            "chart-sends", "Instructions per value sent",
            [
                "subject-sink", "subject-map-filter-sink", "current-value-map-filter-sink", "subject-100-sinks",
                "share-10-sinks", "merge-4-subjects", "combine-latest-2-subjects", "with-latest-from", "zip-subjects",
            ]
        ),
        (
            "chart-costly", "Instructions of the most expensive workloads",
            [
                "sliding-2", "group-by-100", "window-count-10", "zip-ranges", "subscribe-one-element-range",
                "subscribe-cancel-subject", "subscribe-just",
            ]
        ),
    ]

    /// The group that the first screen of the README shows.
    static let overview = [
        "range-map-filter-sink", "range-ten-maps-sink", "one-by-one", "flat-map-just", "subject-map-filter-sink",
        "subject-100-sinks", "merge-4-subjects", "zip-subjects",
    ]

    func svg(title: String, workloads: [String], ground: TimeLinePicture.Ground) throws -> String {
        let shown = try workloads.map { name in
            guard let row = rows.first(where: { $0.workload == name }) else {
                throw Complaint("Benchmarks/RESULTS.md has no row \(name).")
            }
            return row
        }
        let left = 290
        let width = 430
        let most = max(1, shown.map { max($0.instructions, $0.byHand) }.max() ?? 1)
        let height = 40 + shown.count * 38 + 30
        let ink = ground.ink
        var shapes = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="800" height="\(height)" viewBox="0 0 800 \(height)" role="img" \
            font-family="sans-serif" font-size="13">
            """,
            "<title>\(title.escapedForXML)</title>",
            "<text x=\"\(left)\" y=\"22\" font-size=\"15\" fill=\"\(ink)\">\(title.escapedForXML)</text>",
        ]
        for (number, row) in shown.enumerated() {
            let top = 40 + number * 38
            let name = "\(row.workload), per \(row.element)"
            shapes.append(
                """
                <text x="\(left - 10)" y="\(top + 19)" text-anchor="end" font-size="11" fill="\(ink)">\(name.escapedForXML)</text>
                """)
            let bars = [("ours", row.instructions, ground.valueInk), ("hand", row.byHand, ink)]
            for (place, bar) in bars.enumerated() {
                let y = top + 3 + place * 14
                let length = max(1, bar.1 * width / most)
                shapes.append(
                    """
                    <rect class="\(bar.0)" x="\(left)" y="\(y)" width="\(length)" height="12" fill="\(bar.2)"/>\
                    <text x="\(left + length + 5)" y="\(y + 10)" font-size="11" fill="\(ink)">\(bar.1)</text>
                    """)
            }
        }
        let y = height - 22
        shapes.append(
            """
            <rect x="\(left)" y="\(y)" width="12" height="12" fill="\(ground.valueInk)"/>\
            <text x="\(left + 18)" y="\(y + 10)" fill="\(ink)">Headgate</text>\
            <rect x="\(left + 100)" y="\(y)" width="12" height="12" fill="\(ink)"/>\
            <text x="\(left + 118)" y="\(y + 10)" fill="\(ink)">by hand, without demand, cancellation or completion</text>
            """)
        return (shapes + ["</svg>"]).joined(separator: "\n") + "\n"
    }
}
