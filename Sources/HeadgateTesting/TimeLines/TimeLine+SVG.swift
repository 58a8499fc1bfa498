import HeadgateCore

extension TimeLine {
    /// The time-line as a picture, for documentation.
    ///
    /// ```swift
    /// let picture = TimeLine(values: "--1-2-|", demand: "^2--^*-").svg()
    /// ```
    ///
    /// The picture is an SVG element that needs nothing else: no font, no style sheet, no identifiers, so several may
    /// stand on one page. Its colours can be read on light and on dark ground. The same time-line makes the same text.
    ///
    /// A value is a circle, or a capsule where it is long; the end is a bar, a failure a cross, a request a triangle
    /// above its number, `cancel()` an exclamation mark, and a subscription a beam between brackets. What stands in one
    /// column of a row is stacked, the first on top. A row of values without an end goes on with an arrow. The kind of
    /// each sign is its `class`, as in `class="value"`.
    ///
    /// - **Complexity**: O(*n* log *n*) in the number of signs.
    public func svg() -> String { TimeLinePicture(self).svg }
}

/// Draws a time-line.
private struct TimeLinePicture {
    // Each of these stands out from white and from black.
    private static let ink = "#6e7781"
    private static let valueInk = "#2f74c0"
    private static let failureInk = "#d1443f"
    private static let cancelInk = "#b8621b"

    private static let columnWidth = 18
    private static let radius = 13
    private static let rowHeight = 40
    private static let stackStep = 30

    private struct Place: Hashable {
        let row: TimeLine.Row
        let column: Int
    }

    private let line: TimeLine
    private let rows: [TimeLine.Row]
    private let stacks: [Place: [TimeLine.Sign]]

    /// The middle of each column on which something stands.
    private let centres: [Int: Int]

    /// Where the rows begin and end.
    private let start: Int
    private let end: Int

    init(_ line: TimeLine) {
        self.line = line
        let rows = TimeLine.Row.allCases.filter { $0 == .values || line.uses($0) }
        self.rows = rows
        stacks = Dictionary(grouping: line.entries) { Place(row: $0.row, column: $0.column) }
            .mapValues { $0.map(\.sign) }
        start = (rows.map(\.rawValue.count).max() ?? 0) * 8 + 20
        let columns = Dictionary(grouping: line.entries, by: \.column)
        var centres: [Int: Int] = [:]
        var edge = start
        for (column, entries) in columns.sorted(by: { $0.key < $1.key }) {
            let reach = entries.map { Self.reach(of: $0.sign) }.max() ?? 0
            // As in the text, what would overlap is moved to the right.
            let centre = max(start + column * Self.columnWidth + Self.columnWidth / 2, edge + reach)
            centres[column] = centre
            edge = centre + reach + 3
        }
        self.centres = centres
        end = max(edge, start + line.length * Self.columnWidth) + 12
    }

    var svg: String {
        var shapes: [String] = []
        var top = 0
        for row in rows {
            let middle = top + Self.rowHeight / 2
            shapes.append(Self.text(row.rawValue, x: start - 12, y: middle + 4, ink: Self.ink, anchor: "end"))
            shapes.append(ground(of: row, y: middle))
            for column in centres.keys.sorted() {
                for (index, sign) in (stacks[Place(row: row, column: column)] ?? []).enumerated() {
                    shapes.append(shape(of: sign, x: centres[column] ?? 0, y: middle + index * Self.stackStep))
                }
            }
            top += height(of: row)
        }
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(end + 4)" height="\(top)" viewBox="0 0 \(end + 4) \(top)" \
            role="img" font-family="sans-serif" font-size="13">
            <title>\(line.description.escapedForXML)</title>
            """
        return ([head] + shapes + ["</svg>"]).joined(separator: "\n")
    }

    private func height(of row: TimeLine.Row) -> Int {
        let deepest = stacks.filter { $0.key.row == row }.map(\.value.count).max() ?? 1
        return Self.rowHeight + (deepest - 1) * Self.stackStep
    }

    /// The line on which the signs of a row stand.
    private func ground(of row: TimeLine.Row, y: Int) -> String {
        switch row {
        case .values:
            let isOver = line.signs(on: .values).contains { $0 == .finish || $0 == .failure }
            let last = line.entries.last { $0.row == .values }.flatMap { centres[$0.column] } ?? end
            let path = isOver ? "M\(start) \(y)H\(last)" : "M\(start) \(y)H\(end)m-6 -5l6 5l-6 5"
            return Self.stroke("time", path, width: 2)
        case .demand:
            return Self.stroke("time", "M\(start) \(y)H\(end)", width: 1, more: " stroke-dasharray=\"2 4\"")
        case .subscription:
            return Self.stroke("time", connections(y: y), width: 4, more: " stroke-opacity=\"0.5\"")
        }
    }

    /// From each `[` to its `]`, or to the right where there is none.
    private func connections(y: Int) -> String {
        var path = ""
        var isOpen = false
        for entry in line.entries where entry.row == .subscription {
            let x = centres[entry.column] ?? start
            switch entry.sign {
            case .begin where !isOpen:
                path += "M\(x) \(y)"
                isOpen = true
            case .end where isOpen:
                path += "H\(x)"
                isOpen = false
            default: break
            }
        }
        return isOpen ? path + "H\(end)" : path
    }

    private func shape(of sign: TimeLine.Sign, x: Int, y: Int) -> String {
        switch sign {
        case .value(let label):
            let radius = Self.radius
            let reach = Self.reach(of: sign)
            let outline =
                reach == radius
                ? "<circle class=\"value\" cx=\"\(x)\" cy=\"\(y)\" r=\"\(radius)\" fill=\"\(Self.valueInk)\"/>"
                : """
                <rect class="value" x="\(x - reach)" y="\(y - radius)" width="\(2 * reach)" height="\(2 * radius)" \
                rx="\(radius)" fill="\(Self.valueInk)"/>
                """
            return outline + Self.text(label, x: x, y: y + 5, ink: "#ffffff", anchor: "middle")
        case .finish:
            return Self.stroke("finish", "M\(x) \(y - 13)v26", width: 4)
        case .failure:
            return Self.stroke(
                "failure", "M\(x - 8) \(y - 8)l16 16m0 -16l-16 16", width: 4, ink: Self.failureInk)
        case .request(let demand):
            let number = demand.max.map { "\($0)" } ?? "∞"
            return "<path class=\"request\" d=\"M\(x) \(y - 8)l6 10h-12z\" fill=\"\(Self.ink)\"/>"
                + Self.text(number, x: x, y: y + 15, ink: Self.ink, anchor: "middle")
        case .cancel:
            return Self.stroke(
                "cancel", "M\(x) \(y - 11)v12m0 8v1", width: 5, ink: Self.cancelInk,
                more: " stroke-linecap=\"round\"")
        case .begin:
            return Self.stroke("begin", "M\(x + 5) \(y - 10)h-5v20h5", width: 2)
        case .end:
            return Self.stroke("end", "M\(x - 5) \(y - 10)h5v20h-5", width: 2)
        }
    }

    /// How far a sign stretches to either side.
    private static func reach(of sign: TimeLine.Sign) -> Int {
        switch sign {
        case .value(let label): label.count <= 2 ? radius : label.count * 4 + 9
        case .request(let demand): max(7, (demand.max.map { "\($0)".count } ?? 1) * 4 + 2)
        case .failure: 8
        case .finish, .cancel, .begin, .end: 5
        }
    }

    private static func stroke(
        _ kind: String, _ path: String, width: Int, ink: String = Self.ink, more: String = ""
    ) -> String {
        "<path class=\"\(kind)\" d=\"\(path)\" fill=\"none\" stroke=\"\(ink)\" stroke-width=\"\(width)\"\(more)/>"
    }

    private static func text(_ text: String, x: Int, y: Int, ink: String, anchor: String) -> String {
        "<text x=\"\(x)\" y=\"\(y)\" fill=\"\(ink)\" text-anchor=\"\(anchor)\">\(text.escapedForXML)</text>"
    }
}

extension String {
    /// The text as XML can hold it: with its signs escaped, and a replacement for what XML has no place for.
    fileprivate var escapedForXML: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{FFFE}"..."\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
