import HeadgateCore
import HeadgateTesting

/// Draws a documented time-line: what goes in on top, the operator as a box, what comes out, and the demand below.
extension DocumentedTimeLine {
    func svg(on ground: TimeLinePicture.Ground) -> String {
        TimeLinePicture(rows: drawnRows, length: length, title: alternative, ground: ground, columnWidth: 12).svg
    }

    /// The time-line in words, for those who do not see it.
    var alternative: String { "Time-line: " + text.map(\.trimmed).joined(separator: "; ") }

    private var drawnRows: [Row] {
        let streams = rows.filter { !$0.isDemand }.flatMap { row in
            if row.isCaption {
                let words = [row.name, row.words].filter { !$0.isEmpty }.joined(separator: "   ")
                return words.isEmpty ? [] : [Row(name: words)]
            }
            // What is said beside the signs stands below them.
            return row.words.contains { $0 != "-" } ? [row, Row(name: row.words)] : [row]
        }
        let demand = rows.filter(\.isDemand)
        if !demand.isEmpty || rows.contains(where: \.isSubscription) { return streams + demand }
        // Nothing is said of demand where everything is requested at once.
        return streams + [Row(name: "demand", signs: [(0, .request(.unlimited))])]
    }
}
