import HeadgateTesting

extension Page {
    private static let ink = "#6e7781"
    private static let cell = 12
    private static let step = 18
    private static let top = 30
    private static let letters = 12

    /// The kinds of a row's cells, and its name.
    private typealias Row = (name: String, kinds: [Kind])

    /// The table as a picture: a row per subject, a column per rule, and a legend.
    ///
    /// A long table has a row per family instead, so that it is legible where a page shows it without its details.
    var svg: String {
        let blocks = blocks
        let start = (blocks.flatMap(\.members).map(\.name.count).max() ?? 0) * 13 / 2 + 16
        var shapes = Self.rules.enumerated().map { index, rule in
            text(rule.number, x: start + x(of: index) + Self.cell / 2, y: Self.top - 8, at: "middle", size: 10)
        }
        var places: [Kind: [String]] = [:]
        var y = Self.top
        for block in blocks {
            if !block.title.isEmpty {
                shapes.append(text(block.title, x: start - 6, y: y + 10, at: "end", isBold: true))
                y += Self.step
            }
            for row in block.members {
                shapes.append(text(row.name, x: start - 6, y: y + 10, at: "end"))
                for (column, kind) in row.kinds.enumerated() {
                    places[kind, default: []].append("M\(start + x(of: column)) \(y + Self.cell / 2)")
                }
                y += Self.step
            }
            y += Self.step / 2
        }
        for kind in Kind.allCases { shapes += drawing(of: kind, at: places[kind] ?? []) }
        for (index, kind) in Kind.allCases.enumerated() {
            let x = 16 + index * 130
            shapes += drawing(of: kind, at: ["M\(x) \(y + Self.cell / 2)"], legend: true)
            shapes.append(text(kind.words, x: x + Self.step, y: y + 10, at: "start"))
        }
        let size = (width: max(start + x(of: Self.rules.count - 1) + Self.step, 560), height: y + Self.step + 4)
        let subject = isLong ? "family" : "subject"
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(size.width)" height="\(size.height)" \
            viewBox="0 0 \(size.width) \(size.height)" role="img" font-family="sans-serif">
            <title>Which rule each \(subject) satisfies: a row for every \(subject), a column for every rule.</title>
            """
        return ([head] + shapes + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private var isLong: Bool { families.flatMap(\.members).count >= 50 }

    /// The rows by family; of a long table, one row for each family.
    private var blocks: [Family<Row>] {
        let rows = families.map { family in
            family.map { report -> Row in (report.name, Self.rules.map { Kind(report.verification[$0]) }) }
        }
        if !isLong { return rows }
        return [Family("", rows.map { ("\($0.title) (\($0.members.count))", Self.summary(of: $0.members)) })]
    }

    /// What is said of a family: a rule is broken if one of its subjects breaks it, and held if those hold it that can be checked.
    private static func summary(of rows: [Row]) -> [Kind] {
        rules.indices.map { column in
            let kinds = rows.map { $0.kinds[column] }
            return [Kind.broken, .held, .notCheckable].first(where: kinds.contains) ?? .notApplicable
        }
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

    private func text(
        _ text: String, x: Int, y: Int, at anchor: String, size: Int = Self.letters, isBold: Bool = false
    ) -> String {
        """
        <text x="\(x)" y="\(y)" fill="\(Self.ink)" text-anchor="\(anchor)" font-size="\(size)"\
        \(isBold ? " font-weight=\"bold\"" : "")>\(text.escaped)</text>
        """
    }
}
