/// How many values a sink may have requested and not yet written, so that they fit a buffer of a size in bytes.
///
/// Demand counts values and memory is bytes: the window is the number that would fit by the average so far, at least
/// one.
struct WritingWindow {
    private let bufferSize: Int
    private let most = 1024
    private var average = 0

    /// The number of values requested and not yet written.
    private(set) var open = 0

    init(bufferSize: Int) { self.bufferSize = bufferSize }

    /// Records that values have been written.
    mutating func close(_ count: Int, bytes: Int) {
        open = max(0, open - count)
        let size = bytes / max(count, 1)
        average = average == 0 ? size : (average * 3 + size) / 4
    }

    /// Opens the window to its full size.
    ///
    /// - Returns: How many values to request.
    mutating func widen() -> Int {
        // The average is unknown before the first value.
        let size = average == 0 ? bufferSize : average
        let more = max(0, min(most, max(1, bufferSize / size)) - open)
        open += more
        return more
    }
}
