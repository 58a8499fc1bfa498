/// A value as text, by which verifiers tell values apart: equal values have the same, also those that know no order.
func wording(of value: Any) -> String { (value as? any Unordered)?.wording ?? "\(value)" }

/// A value in the text of another.
private func innerWording(of value: Any) -> String {
    (value as? any Unordered)?.wording ?? String(reflecting: value)
}

/// What may print in any order, or holds what does.
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
