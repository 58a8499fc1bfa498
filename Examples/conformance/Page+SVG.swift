import HeadgateTesting

extension Page {
    private static let ink = "#6e7781"
    private static let cell = 16
    private static let step = 20

    /// The table as a picture: a row for every subject, a column for every rule, and a legend.
    var svg: String {
        let start = (reports.map(\.name.count).max() ?? 0) * 7 + 24
        let width = start + x(of: Self.rules.count - 1) + Self.step + 8
        let top = 28
        let legendTop = top + reports.count * Self.step + 14
        let height = legendTop + Self.step + 8
        var shapes: [String] = []
        for (index, rule) in Self.rules.enumerated() {
            shapes.append(
                text(rule.number, x: start + x(of: index) + Self.cell / 2, y: top - 8, anchor: "middle", size: 10))
        }
        var places: [Kind: [String]] = [:]
        for (row, report) in reports.enumerated() {
            let y = top + row * Self.step
            shapes.append(text(report.name, x: start - 8, y: y + 12, anchor: "end", size: 12))
            for (column, rule) in Self.rules.enumerated() {
                places[Kind(report.verification[rule]), default: []].append("M\(start + x(of: column)) \(y)")
            }
        }
        for kind in Kind.allCases { shapes += drawing(of: kind, at: places[kind] ?? []) }
        for (index, kind) in Kind.allCases.enumerated() {
            let x = start + index * 130
            shapes += drawing(of: kind, at: ["M\(x) \(legendTop)"], legend: true)
            shapes.append(text(kind.words, x: x + Self.step + 2, y: legendTop + 12, anchor: "start", size: 12))
        }
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" role="img" font-family="sans-serif">
            <title>Which rule each subject holds: a row for every subject, a column for every rule.</title>
            """
        return ([head] + shapes + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    /// Where a column begins; chapters stand apart.
    private func x(of column: Int) -> Int { column * Self.step + (Self.rules[column].chapter - 1) * 8 }

    /// All cells of one kind, told apart by their shapes as well as by their colours.
    private func drawing(of kind: Kind, at places: [String], legend: Bool = false) -> [String] {
        if places.isEmpty { return [] }
        let name = legend ? "legend" : kind.rawValue
        func path(_ shape: String, _ paint: String) -> String {
            "<path class=\"\(name)\" d=\"\(places.map { $0 + shape }.joined(separator: "\n"))\" \(paint)/>"
        }
        switch kind {
        case .held: return [path("h16v16h-16z", "fill=\"#2c8a4b\"")]
        case .broken:
            let cross = places.map { $0 + "m4 4l8 8m0 -8l-8 8" }.joined(separator: "\n")
            return [
                path("h16v16h-16z", "fill=\"#d1443f\""),
                "<path d=\"\(cross)\" fill=\"none\" stroke=\"#ffffff\" stroke-width=\"2\"/>",
            ]
        case .notApplicable: return [path("m6 6h4v4h-4z", "fill=\"\(Self.ink)\" fill-opacity=\"0.6\"")]
        case .notCheckable:
            return [path("m1 1h14v14h-14z", "fill=\"none\" stroke=\"\(Self.ink)\" stroke-opacity=\"0.7\"")]
        }
    }

    private func text(_ text: String, x: Int, y: Int, anchor: String, size: Int) -> String {
        """
        <text x="\(x)" y="\(y)" fill="\(Self.ink)" text-anchor="\(anchor)" font-size="\(size)">\(text.escaped)</text>
        """
    }
}
