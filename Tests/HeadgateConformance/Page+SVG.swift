import HeadgateTesting

extension Page {
    private static let ink = "#6e7781"
    private static let cell = 12
    private static let step = 15
    private static let top = 30

    /// The width of the longest name.
    private var start: Int { (families.flatMap(\.members).map(\.name.count).max() ?? 0) * 13 / 2 + 8 }

    private var blockWidth: Int { start + x(of: Self.rules.count - 1) + Self.step + 8 }

    /// The table as a picture: a row per subject, a column per rule, and a legend.
    ///
    /// A long table is split into two, side by side, between two families.
    var svg: String {
        let blocks = blocks
        let height = blocks.map { heightOfRows(of: $0) }.max() ?? 0
        let legendTop = Self.top + height + 10
        let width = max(blocks.count * blockWidth, 560)
        var shapes: [String] = []
        var places: [Kind: [String]] = [:]
        for (number, block) in blocks.enumerated() {
            let left = number * blockWidth + start
            for (index, rule) in Self.rules.enumerated() {
                shapes.append(
                    text(rule.number, x: left + x(of: index) + Self.cell / 2, y: Self.top - 6, at: "middle", size: 8))
            }
            var y = Self.top
            for family in block {
                shapes.append(text(family.title, x: left - 6, y: y + 10, at: "end", size: 11, isBold: true))
                for report in family.members {
                    y += Self.step
                    shapes.append(text(report.name, x: left - 6, y: y + 10, at: "end", size: 11))
                    for (column, rule) in Self.rules.enumerated() {
                        places[Kind(report.verification[rule]), default: []].append(
                            "M\(left + x(of: column)) \(y + Self.cell / 2)")
                    }
                }
                y += Self.step * 3 / 2
            }
        }
        for kind in Kind.allCases { shapes += drawing(of: kind, at: places[kind] ?? []) }
        for (index, kind) in Kind.allCases.enumerated() {
            let x = 16 + index * 130
            shapes += drawing(of: kind, at: ["M\(x) \(legendTop + Self.cell / 2)"], legend: true)
            shapes.append(text(kind.words, x: x + Self.step + 3, y: legendTop + 10, at: "start", size: 11))
        }
        let size = (width: width, height: legendTop + Self.step + 8)
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(size.width)" height="\(size.height)" \
            viewBox="0 0 \(size.width) \(size.height)" role="img" font-family="sans-serif">
            <title>Which rule each subject holds: a row for every subject, a column for every rule.</title>
            """
        return ([head] + shapes + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    /// The families of each column of the page: one, or two of about the same height.
    private var blocks: [[Family<Report>]] {
        if families.flatMap(\.members).count < 50 { return [families] }
        let cuts = families.indices.map { [Array(families[..<$0]), Array(families[$0...])] }
        func height(_ blocks: [[Family<Report>]]) -> Int { blocks.map { heightOfRows(of: $0) }.max() ?? 0 }
        return cuts.min { height($0) < height($1) } ?? [families]
    }

    /// Each family has a line for its title and half a line of space.
    private func heightOfRows(of block: [Family<Report>]) -> Int {
        block.reduce(0) { $0 + $1.members.count * Self.step + Self.step * 3 / 2 }
    }

    /// The left edge of a column; chapters are spaced apart.
    private func x(of column: Int) -> Int { column * Self.step + (Self.rules[column].chapter - 1) * 6 }

    /// All cells of one kind, each from the middle of its left side, distinguished by shape as well as by colour.
    private func drawing(of kind: Kind, at places: [String], legend: Bool = false) -> [String] {
        if places.isEmpty { return [] }
        let name = legend ? "legend" : kind.rawValue
        func path(_ shape: String, _ colour: String, _ width: Int) -> String {
            """
            <path class="\(name)" d="\(places.map { $0 + shape }.joined(separator: "\n"))" fill="none" \
            stroke="\(colour)" stroke-width="\(width)"/>
            """
        }
        switch kind {
        case .held: return [path("h12", "#2c8a4b", Self.cell)]
        case .broken:
            let cross = places.map { $0 + "m3 -3l6 6m0 -6l-6 6" }.joined(separator: "\n")
            return [
                path("h12", "#d1443f", Self.cell),
                "<path d=\"\(cross)\" fill=\"none\" stroke=\"#ffffff\" stroke-width=\"2\"/>",
            ]
        case .notApplicable: return [path("m4 0h4", Self.ink, 4)]
        case .notCheckable: return [path("m1 -5h10v10h-10z", Self.ink, 1)]
        }
    }

    private func text(_ text: String, x: Int, y: Int, at anchor: String, size: Int, isBold: Bool = false) -> String {
        """
        <text x="\(x)" y="\(y)" fill="\(Self.ink)" text-anchor="\(anchor)" font-size="\(size)"\
        \(isBold ? " font-weight=\"bold\"" : "")>\(text.escaped)</text>
        """
    }
}
