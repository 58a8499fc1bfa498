import HeadgateCore
import HeadgateTesting

/// Draws time-lines above each other, aligned by column.
struct TimeLinePicture {
    /// The colours on a background: by default, those that contrast with white and with black.
    struct Ground {
        var ink = "#6e7781"
        var value = "#2f74c0"
        var failure = "#d1443f"
        var cancel = "#b8621b"

        static let light = Ground(ink: "#4c545d")
        static let dark = Ground(ink: "#b3bac3", value: "#3f82d2", failure: "#f0615c", cancel: "#e0873f")
    }

    private static let radius = 13
    private static let rowHeight = 40
    private static let stackStep = 30

    private let rows: [DocumentedTimeLine.Row]
    private let title: String
    private let ground: Ground
    private let columnWidth: Int

    /// The centre of each column that has a sign.
    private let centres: [Int: Int]

    /// The left and right ends of the rows.
    private let start: Int
    private let end: Int

    /// - Parameters:
    ///   - rows: The rows, from the top.
    ///   - length: The minimum number of columns.
    ///   - title: The accessible title of the picture.
    ///   - ground: The background of the picture.
    ///   - columnWidth: The width of a column in pixels, before signs that would overlap are moved to the right.
    init(
        rows: [DocumentedTimeLine.Row], length: Int, title: String, ground: Ground = Ground(), columnWidth: Int = 18
    ) {
        self.rows = rows
        self.title = title
        self.ground = ground
        self.columnWidth = columnWidth
        var widest: [Int: Int] = [:]
        for (column, sign) in rows.flatMap(\.signs) {
            widest[column] = max(widest[column] ?? 0, Self.reach(of: sign))
        }
        start = (rows.filter { !$0.isCaption }.map(\.name.count).max() ?? 0) * 8 + 20
        var centres: [Int: Int] = [:]
        var edge = start
        for (column, reach) in widest.sorted(by: { $0.key < $1.key }) {
            // As in the text, signs that would overlap are moved to the right.
            let centre = max(start + column * columnWidth + columnWidth / 2, edge + reach)
            centres[column] = centre
            edge = centre + reach + 3
        }
        self.centres = centres
        end = max(edge, start + length * columnWidth) + 12
    }

    /// The picture: a self-contained SVG element.
    var svg: String {
        var shapes: [String] = []
        var top = 0
        for row in rows {
            let middle = top + Self.rowHeight / 2
            shapes += row.isCaption ? caption(row.name, y: middle) : signs(of: row, y: middle)
            top += Self.rowHeight + ((row.stacks.values.map(\.count).max() ?? 1) - 1) * Self.stackStep
        }
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(end + 4)" height="\(top)" viewBox="0 0 \(end + 4) \(top)" \
            role="img" font-family="sans-serif" font-size="13">
            <title>\(title.escapedForXML)</title>
            """
        return ([head] + shapes + ["</svg>"]).joined(separator: "\n")
    }

    private func caption(_ words: String, y: Int) -> [String] {
        [
            """
            <rect class="caption" x="\(start)" y="\(y - 14)" width="\(end - start)" height="28" rx="6" fill="none" \
            stroke="\(ground.ink)"/>
            """,
            text(words, x: (start + end) / 2, y: y + 4, anchor: "middle"),
        ]
    }

    private func signs(of row: DocumentedTimeLine.Row, y: Int) -> [String] {
        let head = [text(row.name, x: start - 12, y: y + 4, anchor: "end"), line(of: row, y: y)]
        let stacks = Dictionary(grouping: row.signs, by: \.column).sorted { $0.key < $1.key }
        return head
            + stacks.flatMap { column, stack in
                stack.enumerated().map { depth, entry in
                    shape(of: entry.sign, x: centres[column] ?? 0, y: y + depth * Self.stackStep)
                }
            }
    }

    /// The left edge of a column, with or without signs.
    private func edge(of column: Int) -> Int {
        let before = centres.filter { $0.key < column }.map(\.value).max()
        let plain = start + column * columnWidth
        return before.map { max($0 + columnWidth / 2, plain) } ?? plain
    }

    /// The line of a row: dotted for requests, beams between brackets, or solid up to the end of the stream or an arrow.
    private func line(of row: DocumentedTimeLine.Row, y: Int) -> String {
        if row.isDemand {
            return stroke("time", "M\(start) \(y)H\(end)", width: 1, more: " stroke-dasharray=\"2 4\"")
        }
        if row.isSubscription {
            return stroke("time", connections(of: row, y: y), width: 4, more: " stroke-opacity=\"0.5\"")
        }
        let last = row.signs.last { [.finish, .failure, .cancel].contains($0.sign) }.flatMap { centres[$0.column] }
        let begin = row.start == 0 ? start : edge(of: row.start)
        return stroke("time", "M\(begin) \(y)H" + (last.map { "\($0)" } ?? "\(end)m-6 -5l6 5l-6 5"), width: 2)
    }

    /// From each `[` to its `]`, or to the right edge if there is none.
    private func connections(of row: DocumentedTimeLine.Row, y: Int) -> String {
        let brackets = row.signs.filter { [.begin, .end, .cancel].contains($0.sign) }
        let path = brackets.map { column, sign in
            let x = centres[column] ?? start
            return sign == .begin ? "M\(x) \(y)" : "H\(x)"
        }.joined()
        return brackets.last?.sign == .begin ? path + "H\(end)" : path
    }

    private func shape(of sign: TimeLine.Sign, x: Int, y: Int) -> String {
        switch sign {
        case .value(let label):
            let radius = Self.radius
            let reach = Self.reach(of: sign)
            let outline =
                reach == radius
                ? "<circle class=\"value\" cx=\"\(x)\" cy=\"\(y)\" r=\"\(radius)\" fill=\"\(ground.value)\"/>"
                : """
                <rect class="value" x="\(x - reach)" y="\(y - radius)" width="\(2 * reach)" height="\(2 * radius)" \
                rx="\(radius)" fill="\(ground.value)"/>
                """
            return outline + text(label, x: x, y: y + 5, ink: "#ffffff", anchor: "middle")
        case .finish:
            return stroke("finish", "M\(x) \(y - 13)v26", width: 4)
        case .failure:
            return stroke("failure", "M\(x - 8) \(y - 8)l16 16m0 -16l-16 16", width: 4, ink: ground.failure)
        case .request(let demand):
            let number = demand.max.map { "\($0)" } ?? "∞"
            return "<path class=\"request\" d=\"M\(x) \(y - 8)l6 10h-12z\" fill=\"\(ground.ink)\"/>"
                + text(number, x: x, y: y + 15, anchor: "middle")
        case .cancel:
            return stroke(
                "cancel", "M\(x) \(y - 11)v12m0 8v1", width: 5, ink: ground.cancel, more: " stroke-linecap=\"round\""
            )
        case .begin:
            return stroke("begin", "M\(x + 5) \(y - 10)h-5v20h5", width: 2)
        case .end:
            return stroke("end", "M\(x - 5) \(y - 10)h5v20h-5", width: 2)
        }
    }

    /// The extent of a sign to either side.
    private static func reach(of sign: TimeLine.Sign) -> Int {
        switch sign {
        case .value(let label): label.count <= 2 ? radius : label.count * 4 + 9
        case .request(let demand): max(7, (demand.max.map { "\($0)".count } ?? 1) * 4 + 2)
        case .failure: 8
        case .finish, .cancel, .begin, .end: 5
        }
    }

    private func stroke(_ kind: String, _ path: String, width: Int, ink: String? = nil, more: String = "") -> String {
        """
        <path class="\(kind)" d="\(path)" fill="none" stroke="\(ink ?? ground.ink)" stroke-width="\(width)"\(more)/>
        """
    }

    private func text(_ text: String, x: Int, y: Int, ink: String? = nil, anchor: String) -> String {
        """
        <text x="\(x)" y="\(y)" fill="\(ink ?? ground.ink)" text-anchor="\(anchor)">\(text.escapedForXML)</text>
        """
    }
}

extension DocumentedTimeLine.Row {
    /// The signs of each column.
    fileprivate var stacks: [Int: [TimeLine.Sign]] {
        Dictionary(grouping: signs, by: \.column).mapValues { $0.map(\.sign) }
    }
}

extension String {
    /// The text escaped for XML, with a replacement for characters that XML does not allow.
    var escapedForXML: String {
        let entities = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"]
        return replacing(/[&<>"]|[\u{0}-\u{8}\u{B}\u{C}\u{E}-\u{1F}\u{FFFE}\u{FFFF}]/) {
            entities[String($0.0)] ?? "\u{FFFD}"
        }
    }
}
