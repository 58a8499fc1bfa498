/// The size of a window.
enum WindowSize: Equatable {
    case requests(Int)
    case seconds(Int)

    /// Reads `200` or `60s`.
    init?(_ text: String) {
        let isTime = text.hasSuffix("s")
        guard let number = Int(isTime ? text.dropLast() : text[...]), number > 0 else { return nil }
        self = isTime ? .seconds(number) : .requests(number)
    }
}

/// Consecutive requests, summed up.
struct Window {
    /// The time of day at which it begins, in seconds since midnight.
    var second: Int
    var requests = 0
    var errors = 0

    init(beginning second: Int) { self.second = second }

    /// The time of day at which it begins, such as `09:26:54`.
    var time: String {
        [second / 3600, second / 60 % 60, second % 60]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }

    mutating func add(_ request: Request) {
        requests += 1
        if request.isError { errors += 1 }
    }

    /// Adds the next window.
    mutating func add(_ next: Window) {
        requests += next.requests
        errors += next.errors
    }

    /// Whether a request no longer belongs to this window.
    func isOver(before request: Request, size: WindowSize) -> Bool {
        switch size {
        case .requests(let count): requests >= count
        // The log's clock restarts at midnight.
        case .seconds(let length): request.second < second || request.second - second >= length
        }
    }
}
