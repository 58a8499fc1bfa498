import HeadgateCore
import HeadgateTesting

/// Draws time-lines above each other, aligned by column.
struct TimeLinePicture {
    /// The style of a row.
    enum Look: Equatable {
        /// Values on a solid line, up to the end of the stream or an arrow.
        case values

        /// Requests on a dotted line.
        case demand

        /// Beams between brackets.
        case subscription

        /// A box with a caption: the operator.
        case caption
    }

    /// One row.
    struct Row {
        let label: String
        let look: Look
        let entries: [(column: Int, sign: TimeLine.Sign)]

        /// The column in which the row begins.
        let start: Int

        init(label: String, look: Look, entries: [(column: Int, sign: TimeLine.Sign)] = [], start: Int = 0) {
            self.label = label
            self.look = look
            self.entries = entries
            self.start = start
        }
    }

    /// The background of the picture.
    enum Ground {
        /// Either; each colour contrasts with white and with black.
        case any

        case light
        case dark

        var ink: String {
            switch self {
            case .any: "#6e7781"
            case .light: "#4c545d"
            case .dark: "#b3bac3"
            }
        }

        var valueInk: String { self == .dark ? "#3f82d2" : "#2f74c0" }
        var failureInk: String { self == .dark ? "#f0615c" : "#d1443f" }
        var cancelInk: String { self == .dark ? "#e0873f" : "#b8621b" }
    }

    private static let radius = 13
    private static let rowHeight = 40
    private static let stackStep = 30

    private struct Place: Hashable {
        let row: Int
        let column: Int
    }

    private let rows: [Row]
    private let title: String
    private let ground: Ground
    private let columnWidth: Int
    private let stacks: [Place: [TimeLine.Sign]]

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
    init(rows: [Row], length: Int, title: String, ground: Ground = .any, columnWidth: Int = 18) {
        self.rows = rows
        self.title = title
        self.ground = ground
        self.columnWidth = columnWidth
        var stacks: [Place: [TimeLine.Sign]] = [:]
        var widest: [Int: Int] = [:]
        for (index, row) in rows.enumerated() {
            for (column, sign) in row.entries {
                stacks[Place(row: index, column: column), default: []].append(sign)
                widest[column] = max(widest[column] ?? 0, Self.reach(of: sign))
            }
        }
        self.stacks = stacks
        start = (rows.filter { $0.look != .caption }.map(\.label.count).max() ?? 0) * 8 + 20
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
        for (index, row) in rows.enumerated() {
            let middle = top + Self.rowHeight / 2
            shapes += row.look == .caption ? caption(row.label, y: middle) : signs(of: row, at: index, y: middle)
            top += height(of: index)
        }
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(end + 4)" height="\(top)" viewBox="0 0 \(end + 4) \(top)" \
            role="img" font-family="sans-serif" font-size="13">
            <title>\(title.escapedForXML)</title>
            """
        return ([head] + shapes + ["</svg>"]).joined(separator: "\n")
    }

    private func height(of row: Int) -> Int {
        let deepest = stacks.filter { $0.key.row == row }.map(\.value.count).max() ?? 1
        return Self.rowHeight + (deepest - 1) * Self.stackStep
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

    private func signs(of row: Row, at index: Int, y: Int) -> [String] {
        var shapes = [text(row.label, x: start - 12, y: y + 4, anchor: "end"), line(of: row, y: y)]
        for column in centres.keys.sorted() {
            for (depth, sign) in (stacks[Place(row: index, column: column)] ?? []).enumerated() {
                shapes.append(shape(of: sign, x: centres[column] ?? 0, y: y + depth * Self.stackStep))
            }
        }
        return shapes
    }

    /// The left edge of a column, with or without signs.
    private func edge(of column: Int) -> Int {
        let before = centres.filter { $0.key < column }.map(\.value).max()
        let plain = start + column * columnWidth
        return before.map { max($0 + columnWidth / 2, plain) } ?? plain
    }

    /// The line of a row.
    private func line(of row: Row, y: Int) -> String {
        switch row.look {
        case .values:
            let last = row.entries.last { [.finish, .failure, .cancel].contains($0.sign) }.flatMap {
                centres[$0.column]
            }
            let begin = row.start == 0 ? start : edge(of: row.start)
            return stroke(
                "time", last.map { "M\(begin) \(y)H\($0)" } ?? "M\(begin) \(y)H\(end)m-6 -5l6 5l-6 5", width: 2)
        case .demand:
            return stroke("time", "M\(start) \(y)H\(end)", width: 1, more: " stroke-dasharray=\"2 4\"")
        case .subscription:
            return stroke("time", connections(of: row, y: y), width: 4, more: " stroke-opacity=\"0.5\"")
        case .caption:
            return ""
        }
    }

    /// From each `[` to its `]`, or to the right edge if there is none.
    private func connections(of row: Row, y: Int) -> String {
        var path = ""
        var isOpen = false
        for (column, sign) in row.entries {
            let x = centres[column] ?? start
            switch sign {
            case .begin where !isOpen:
                path += "M\(x) \(y)"
                isOpen = true
            case .end where isOpen, .cancel where isOpen:
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
                ? "<circle class=\"value\" cx=\"\(x)\" cy=\"\(y)\" r=\"\(radius)\" fill=\"\(ground.valueInk)\"/>"
                : """
                <rect class="value" x="\(x - reach)" y="\(y - radius)" width="\(2 * reach)" height="\(2 * radius)" \
                rx="\(radius)" fill="\(ground.valueInk)"/>
                """
            return outline + text(label, x: x, y: y + 5, ink: "#ffffff", anchor: "middle")
        case .finish:
            return stroke("finish", "M\(x) \(y - 13)v26", width: 4)
        case .failure:
            return stroke("failure", "M\(x - 8) \(y - 8)l16 16m0 -16l-16 16", width: 4, ink: ground.failureInk)
        case .request(let demand):
            let number = demand.max.map { "\($0)" } ?? "∞"
            return "<path class=\"request\" d=\"M\(x) \(y - 8)l6 10h-12z\" fill=\"\(ground.ink)\"/>"
                + text(number, x: x, y: y + 15, anchor: "middle")
        case .cancel:
            return stroke(
                "cancel", "M\(x) \(y - 11)v12m0 8v1", width: 5, ink: ground.cancelInk, more: " stroke-linecap=\"round\""
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

extension String {
    /// The text escaped for XML, with a replacement for characters that XML does not allow.
    var escapedForXML: String {
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
