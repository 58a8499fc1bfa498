import Foundation
import HeadgateTesting

/// The table "Beside other libraries" of `Benchmarks/RESULTS.md` as bars on a logarithmic scale.
struct PeerChart {
    struct Row {
        let workload: String
        let element: String
        let headgate: Double
        /// The times of the others that were measured, by name.
        let others: [(name: String, nanoseconds: Double)]
    }

    let rows: [Row]

    private static let names = ["OpenCombine", "RxSwift", "ReactiveSwift", "AsyncAlgorithms"]

    /// The workloads that most programs consist of.
    static let overview = [
        "range, map, filter, sink", "ten maps, each erased", "subject, map, filter, sink", "subject to 100 sinks",
        "share to 100", "merge of 4", "zip of subjects", "flatMap of Just", "receive(on:) a serial queue",
        "2 to 8 threads into a subject", "debounce", "life of a subscription to a subject",
    ]

    /// Reads the rows of the table.
    init(results: String) {
        rows = results.components(separatedBy: "\n").compactMap { line in
            let cells = line.components(separatedBy: "|").map(\.trimmed).dropFirst().dropLast()
            guard cells.count == 8, let headgate = Self.nanoseconds(cells[3]) else { return nil }
            let others = zip(Self.names, cells[5...]).compactMap { name, cell in
                Self.nanoseconds(cell).map { (name, $0) }
            }
            return Row(workload: cells[1], element: cells[2], headgate: headgate, others: others)
        }
    }

    private static func nanoseconds(_ cell: String) -> Double? { Double(cell.replacingOccurrences(of: ",", with: "")) }

    /// Draws the rows of these workloads: a bar for Headgate, one for the fastest of the others, and a mark for each of the rest.
    func svg(workloads: [String], ground: TimeLinePicture.Ground) throws -> String {
        let shown = try workloads.map { name in
            guard let row = rows.first(where: { $0.workload == name }), !row.others.isEmpty else {
                throw Complaint("Benchmarks/RESULTS.md does not compare \(name).")
            }
            return row
        }
        let (left, decade, rowHeight) = (250, 115, 36)
        let decades = 4
        let foot = 36 + shown.count * rowHeight
        let height = foot + 48
        let title = "Nanoseconds per element, logarithmic"
        var shapes = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="800" height="\(height)" viewBox="0 0 800 \(height)" role="img" \
            font-family="sans-serif" font-size="12" fill="\(ground.ink)">
            """,
            "<title>\(title)</title>", "<text x=\"\(left)\" y=\"18\" font-size=\"15\">\(title)</text>",
        ]
        for power in 0...decades {
            let x = left + power * decade
            shapes.append(
                """
                <path d="M\(x) 30V\(foot)" stroke="\(ground.ink)" stroke-opacity="0.3"/>\
                <text x="\(x)" y="\(foot + 14)" font-size="11" text-anchor="middle">\(Int(pow(10, Double(power))))</text>
                """)
        }
        /// How far to the right of one nanosecond a time is.
        func length(_ nanoseconds: Double) -> Int { max(1, Int((log10(nanoseconds) * Double(decade)).rounded())) }

        for (number, row) in shown.enumerated() {
            let top = 36 + number * rowHeight
            let best = row.others.min { $0.nanoseconds < $1.nanoseconds } ?? row.others[0]
            shapes.append(
                """
                <text x="\(left - 10)" y="\(top + 18)" text-anchor="end">\(row.workload.escapedForXML)</text>\
                <rect class="headgate" x="\(left)" y="\(top + 1)" width="\(length(row.headgate))" height="12" \
                fill="\(ground.valueInk)"/>\
                <text x="\(left + length(row.headgate) + 5)" y="\(top + 11)" font-size="11">\(text(row.headgate))</text>\
                <rect class="best" x="\(left)" y="\(top + 15)" width="\(length(best.nanoseconds))" height="12" \
                fill="\(ground.ink)"/>\
                <text x="\(left + length(best.nanoseconds) - 5)" y="\(top + 25)" font-size="11" text-anchor="end" \
                fill="white">\(text(best.nanoseconds)) \(best.name)</text>
                """)
            for other in row.others where other.name != best.name {
                shapes.append(
                    """
                    <circle class="other" cx="\(left + length(other.nanoseconds))" cy="\(top + 21)" r="4" fill="none" \
                    stroke="\(ground.ink)" stroke-width="1.5"><title>\(other.name): \(text(other.nanoseconds))</title></circle>
                    """)
            }
        }
        let y = foot + 28
        shapes.append(
            """
            <rect x="\(left)" y="\(y)" width="12" height="12" fill="\(ground.valueInk)"/>\
            <text x="\(left + 18)" y="\(y + 10)">Headgate</text>\
            <rect x="\(left + 100)" y="\(y)" width="12" height="12" fill="\(ground.ink)"/>\
            <text x="\(left + 118)" y="\(y + 10)">the fastest of four others</text>\
            <circle cx="\(left + 296)" cy="\(y + 6)" r="4" fill="none" stroke="\(ground.ink)" stroke-width="1.5"/>\
            <text x="\(left + 308)" y="\(y + 10)">the rest of them</text>
            """)
        return (shapes + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func text(_ nanoseconds: Double) -> String {
        nanoseconds < 10 ? String(format: "%.1f", nanoseconds) : "\(Int(nanoseconds))"
    }
}
