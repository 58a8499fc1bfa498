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

    /// The workloads that the first screen of the README shows.
    static let overview = [
        "range-map-filter-sink", "range-ten-maps-sink", "one-by-one", "flat-map-just", "subject-map-filter-sink",
        "subject-100-sinks", "merge-4-subjects", "zip-subjects",
    ]

    func svg(workloads: [String] = Self.overview) throws -> String {
        let shown = try workloads.map { name in
            guard let row = rows.first(where: { $0.workload == name }) else {
                throw Complaint("Benchmarks/RESULTS.md has no row \(name).")
            }
            return row
        }
        let (left, width, height) = (290, 430, 40 + shown.count * 38 + 30)
        let most = max(1, shown.map { max($0.instructions, $0.byHand) }.max() ?? 1)
        let (ink, ours) = (TimeLinePicture.Ground.any.ink, TimeLinePicture.Ground.any.valueInk)
        func text(_ text: String, x: Int, y: Int, _ more: String = "font-size=\"11\" ") -> String {
            "<text x=\"\(x)\" y=\"\(y)\" \(more)fill=\"\(ink)\">\(text.escapedForXML)</text>"
        }
        func bar(_ kind: String, x: Int, y: Int, width: Int, _ colour: String) -> String {
            "<rect class=\"\(kind)\" x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"12\" fill=\"\(colour)\"/>"
        }
        var shapes = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="800" height="\(height)" viewBox="0 0 800 \(height)" role="img" \
            font-family="sans-serif" font-size="13">
            <title>Instructions per element</title>
            """,
            text("Instructions per element", x: left, y: 22, "font-size=\"15\" "),
        ]
        for (number, row) in shown.enumerated() {
            let top = 43 + number * 38
            let name = "\(row.workload), per \(row.element)"
            shapes.append(text(name, x: left - 10, y: top + 16, "text-anchor=\"end\" font-size=\"11\" "))
            for (kind, count, colour, y) in [
                ("ours", row.instructions, ours, top), ("hand", row.byHand, ink, top + 14),
            ] {
                let length = max(1, count * width / most)
                shapes.append(bar(kind, x: left, y: y, width: length, colour))
                shapes.append(text("\(count)", x: left + length + 5, y: y + 10))
            }
        }
        shapes += [
            bar("legend", x: left, y: height - 22, width: 12, ours),
            text("Headgate", x: left + 18, y: height - 12, ""),
            bar("legend", x: left + 100, y: height - 22, width: 12, ink),
            text("by hand, without demand, cancellation or completion", x: left + 118, y: height - 12, ""),
        ]
        return (shapes + ["</svg>"]).joined(separator: "\n")
    }
}
