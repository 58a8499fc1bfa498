import Terminal

/// A progress bar on a terminal; nothing if standard error is a pipe or a file.
struct ProgressBar {
    private let length: Int?
    private let line = StatusLine()

    /// Creates a bar.
    ///
    /// - Parameter length: The number of bytes at which it is full, if that is known.
    init(length: Int?) { self.length = length }

    func draw(bytesRead: Int) {
        if !line.isShown { return }
        let megabytes = "\(bytesRead >> 20) MiB"
        guard let length, length > 0 else { return line.show(megabytes) }
        let filled = min(40, bytesRead * 40 / length)
        let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: 40 - filled)
        line.show("[\(bar)] \(min(100, bytesRead * 100 / length)) % \(megabytes)")
    }

    /// Removes the bar.
    func clear() { line.clear() }
}
