@preconcurrency import Glibc

/// A progress bar on a terminal; nothing if standard error is a pipe or a file.
struct ProgressBar {
    private let length: Int?
    private let isShown = isatty(STDERR_FILENO) == 1

    /// Creates a bar.
    ///
    /// - Parameter length: The number of bytes at which it is full, if that is known.
    init(length: Int?) { self.length = length }

    func draw(bytesRead: Int) {
        if !isShown { return }
        let megabytes = "\(bytesRead >> 20) MiB"
        guard let length, length > 0 else { return write("\r\(megabytes)") }
        let filled = min(40, bytesRead * 40 / length)
        let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: 40 - filled)
        write("\r[\(bar)] \(min(100, bytesRead * 100 / length)) % \(megabytes)")
    }

    /// Removes the bar.
    func clear() {
        if isShown { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        fputs(text, stderr)
    }
}
