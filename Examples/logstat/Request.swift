/// One request, as a line of the log has it:
/// `10.0.7.162 - - [14/Mar/2026:09:26:54 +0000] "GET /login HTTP/1.1" 304 0`
struct Request {
    /// The time of day in seconds since midnight.
    var second: Int

    /// The time of day as the log writes it, `09:26:54`.
    var time: Substring

    /// The status code, from 100 to 599.
    var status: Int

    /// The number of bytes sent.
    var size: Int

    /// Reads a line; answers `nil` where it is not a request.
    init?(_ line: String) {
        let parts = line.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bracket = parts[0].firstIndex(of: "[") else { return nil }
        // 14/Mar/2026:09:26:54 +0000
        let date = parts[0][bracket...].split(separator: " ", maxSplits: 1)[0].split(separator: ":", maxSplits: 1)
        guard date.count == 2 else { return nil }
        let clock = date[1].split(separator: ":").compactMap { Int($0) }
        let numbers = parts[2].split(separator: " ", maxSplits: 2)
        guard clock.count == 3, numbers.count >= 2, let status = Int(numbers[0]), (100..<600).contains(status) else {
            return nil
        }
        second = (clock[0] * 60 + clock[1]) * 60 + clock[2]
        time = date[1]
        self.status = status
        size = Int(numbers[1]) ?? 0
    }

    var isError: Bool { status >= 500 }
}
