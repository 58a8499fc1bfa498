/// One row per window; adjacent windows are merged if there are more than two dozen.
///
/// When one more window arrives, each row covers twice as many windows as before.
struct Histogram {
    private static let mostRows = 24

    private var rows: [Window] = []
    /// How many windows a row covers; the last one may cover fewer.
    private(set) var windowsPerRow = 1
    private var windowsInLastRow = 0

    mutating func add(_ window: Window) {
        if windowsInLastRow < windowsPerRow, !rows.isEmpty {
            rows[rows.count - 1].add(window)
            windowsInLastRow += 1
            return
        }
        if rows.count == Self.mostRows {
            rows = stride(from: 0, to: rows.count, by: 2).map { index in
                var row = rows[index]
                row.add(rows[index + 1])
                return row
            }
            windowsPerRow *= 2
        }
        rows.append(window)
        windowsInLastRow = 1
    }

    func text(of size: WindowSize) -> String {
        let rows = rows.map { row in
            switch size {
            case .requests: (time: row.time, value: row.errors)
            case .seconds: (time: row.time, value: row.requests)
            }
        }
        let greatest = max(rows.map(\.value).max() ?? 0, 1)
        return rows.map { row in
            let bar = String(repeating: "█", count: row.value * 50 / greatest)
            return "\(row.time) \(bar)\(bar.isEmpty ? "" : " ")\(row.value)\n"
        }.joined()
    }
}
