/// The statistics of the log.
struct Summary {
    private(set) var lines = 0
    private var requests = 0
    private var repaired = 0
    private var bytesSent: UInt128 = 0
    private var statuses = [Int](repeating: 0, count: 600)
    private var window: Window?
    private var histogram = Histogram()
    private let size: WindowSize

    init(window size: WindowSize) { self.size = size }

    mutating func add(_ line: Line) {
        lines += 1
        if !line.isIntact { repaired += 1 }
        guard let request = line.request else { return }
        requests += 1
        bytesSent += UInt128(request.size)
        statuses[request.status] += 1
        if window?.isOver(before: request, size: size) ?? true {
            if let window { histogram.add(window) }
            window = Window(beginning: request.second)
        }
        window?.add(request)
    }

    /// The summary as a text, ready to print.
    var text: String {
        var text = """
            lines      \(lines)
            requests   \(requests)
            ignored    \(lines - requests)
            sent       \(bytesSent) bytes

            """
        if repaired > 0 { text += "repaired   \(repaired) (not UTF-8, or too long)\n" }
        for (status, count) in statuses.enumerated() where count > 0 {
            text += "  \(status)      \(count)\n"
        }
        guard let window else { return text }
        var histogram = histogram
        histogram.add(window)
        let merged = histogram.windowsPerRow
        switch size {
        case .requests(let count): text += "\nserver errors in every \(merged * count) requests\n"
        // A window begins with the first request after the one before, so several take longer than their sum.
        case .seconds(let count):
            text += "\nrequests in every \(merged > 1 ? "\(merged) windows of " : "")\(count) seconds\n"
        }
        return text + histogram.text(of: size)
    }
}
