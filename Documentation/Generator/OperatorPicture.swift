import HeadgateCore
import HeadgateTesting

/// Draws a documented time-line: what goes in on top, the operator as a box, what comes out, and the demand below.
struct OperatorPicture {
    private let line: DocumentedTimeLine
    private let rows: [TimeLinePicture.Row]

    init(_ line: DocumentedTimeLine) {
        self.line = line
        var above: [TimeLinePicture.Row] = []
        var below: [TimeLinePicture.Row] = []
        for row in line.rows {
            if row.isCaption {
                let words = [row.name, row.words].filter { !$0.isEmpty }.joined(separator: "   ")
                if !words.isEmpty { above.append(TimeLinePicture.Row(label: words, look: .caption)) }
                continue
            }
            let drawn = TimeLinePicture.Row(
                label: row.name, look: Self.look(of: row), entries: row.signs, start: row.start)
            if drawn.look == .demand { below.append(drawn) } else { above.append(drawn) }
            // What is said beside the signs stands below them.
            if row.words.contains(where: { $0 != "-" }) {
                above.append(TimeLinePicture.Row(label: row.words, look: .caption))
            }
        }
        let hasConnections = above.contains { $0.look == .subscription }
        if below.isEmpty, !hasConnections {
            // Nothing is said of demand where everything is requested at once.
            below = [TimeLinePicture.Row(label: "demand", look: .demand, entries: [(0, .request(.unlimited))])]
        }
        rows = above + below
    }

    func svg(on ground: TimeLinePicture.Ground) -> String {
        TimeLinePicture(rows: rows, length: line.length, title: alternative, ground: ground, columnWidth: 12).svg
    }

    /// The time-line in words, for those who do not see it.
    var alternative: String { "Time-line: " + line.text.map(\.trimmed).joined(separator: "; ") }

    private static func look(of row: DocumentedTimeLine.Row) -> TimeLinePicture.Look {
        let requests = row.signs.contains { if case .request = $0.sign { true } else { false } }
        if requests { return .demand }
        return row.signs.contains { $0.sign == .begin } ? .subscription : .values
    }
}
