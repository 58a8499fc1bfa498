/// What has been learnt from the log.
struct Summary {
    private(set) var lines = 0
    private(set) var requests = 0
    private(set) var repaired = 0
    private(set) var bytesSent = 0
    private var statuses: [Int: Int] = [:]
    private(set) var windows: [Window] = []

    mutating func add(_ line: ParsedLine) {
        lines += 1
        if !line.isIntact { repaired += 1 }
        guard let request = line.request else { return }
        requests += 1
        bytesSent += request.size
        statuses[request.status, default: 0] += 1
    }

    mutating func add(_ window: Window) { windows.append(window) }

    /// The summary as a text, ready to print.
    func text(window size: WindowSize) -> String {
        var text = """
            lines      \(lines)
            requests   \(requests)
            ignored    \(lines - requests)
            sent       \(bytesSent) bytes

            """
        if repaired > 0 { text += "repaired   \(repaired) (not UTF-8, or too long)\n" }
        for (status, count) in statuses.sorted(by: { $0.key < $1.key }) {
            text += "  \(status)      \(count)\n"
        }
        if windows.isEmpty { return text }
        switch size {
        case .requests(let count): text += "\nserver errors in every \(count) requests\n"
        case .seconds(let count): text += "\nrequests in every \(count) seconds\n"
        }
        return text + histogram(of: size)
    }

    /// One row a window; neighbours are put together where there are more than fit a screen.
    private func histogram(of size: WindowSize) -> String {
        let windowsPerRow = (windows.count + 23) / 24
        let rows = stride(from: 0, to: windows.count, by: windowsPerRow).map { start in
            let row = windows[start..<min(start + windowsPerRow, windows.count)]
            let value =
                switch size {
                case .requests: row.reduce(0) { $0 + $1.errors }
                case .seconds: row.reduce(0) { $0 + $1.requests }
                }
            return (time: windows[start].time, value: value)
        }
        let greatest = max(rows.map(\.value).max() ?? 0, 1)
        return rows.map { row in
            let bar = String(repeating: "█", count: row.value * 50 / greatest)
            return "\(row.time) \(bar)\(bar.isEmpty ? "" : " ")\(row.value)\n"
        }.joined()
    }
}
