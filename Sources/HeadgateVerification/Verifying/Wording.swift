import HeadgateCore

/// A value as text, with which verifiers compare values: equal values have the same text, even unordered collections.
func wording(of value: Any) -> String { (value as? any Unordered)?.wording ?? "\(value)" }

/// A completion as text: `finished`, or the error.
func wording(of completion: Subscribers.Completion<some Error>) -> String {
    switch completion {
    case .finished: "finished"
    case .failure(let error): "\(error)"
    }
}

/// A value as text inside another.
private func innerWording(of value: Any) -> String {
    (value as? any Unordered)?.wording ?? String(reflecting: value)
}

/// A value that may print its elements in any order, or contains one that may.
private protocol Unordered {
    var wording: String { get }
}

extension Set: Unordered {
    fileprivate var wording: String { "[\(map(innerWording).sorted().joined(separator: ", "))]" }
}

extension Dictionary: Unordered {
    fileprivate var wording: String {
        let lines = map { "\(innerWording(of: $0.key)): \(innerWording(of: $0.value))" }
        return lines.isEmpty ? "[:]" : "[\(lines.sorted().joined(separator: ", "))]"
    }
}

extension Array: Unordered where Element: Unordered {
    fileprivate var wording: String { "[\(map(\.wording).joined(separator: ", "))]" }
}

extension Optional: Unordered where Wrapped: Unordered {
    fileprivate var wording: String { map { "Optional(\($0.wording))" } ?? "nil" }
}
