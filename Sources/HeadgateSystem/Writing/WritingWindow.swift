/// How many values a sink may have asked for and not yet written, so that they fit a buffer of a size in bytes.
///
/// Demand counts values and memory is bytes: the window is what would fit by the average so far, and one at the least.
struct WritingWindow {
    private let bufferSize: Int
    private let most = 1024
    private var average = 0

    /// How many values have been asked for and not been written.
    private(set) var open = 0

    init(bufferSize: Int) { self.bufferSize = bufferSize }

    /// Notes that values are written.
    mutating func close(_ count: Int, bytes: Int) {
        open = max(0, open - count)
        let size = bytes / max(count, 1)
        average = average == 0 ? size : (average * 3 + size) / 4
    }

    /// Opens the window as far as it goes.
    ///
    /// - Returns: How many values to ask for.
    mutating func widen() -> Int {
        // Nothing is known before the first value.
        let size = average == 0 ? bufferSize : average
        let more = max(0, min(most, max(1, bufferSize / size)) - open)
        open += more
        return more
    }
}
