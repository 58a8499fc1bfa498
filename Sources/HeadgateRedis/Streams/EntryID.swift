/// The identifier of an entry: a time in milliseconds, and a number within it.
///
/// ```swift
/// let id = EntryID("1526919030474-55")!
/// print(id.milliseconds, id.sequence, id < EntryID(1_526_919_030_475, 0))
/// // 1526919030474 55 true
/// ```
public struct EntryID: Hashable, Sendable, Comparable {
    /// The time, in milliseconds since 1970, unless identifiers are chosen by other rules.
    public let milliseconds: UInt64

    /// The number among the entries of the same millisecond.
    public let sequence: UInt64

    /// Creates an identifier from its parts.
    public init(_ milliseconds: UInt64, _ sequence: UInt64 = 0) {
        self.milliseconds = milliseconds
        self.sequence = sequence
    }

    /// Reads an identifier such as `1526919030474-55`; `nil` if the text is none.
    public init?(_ text: some StringProtocol) { self.init(Bytes(text)) }

    /// Reads an identifier; `nil` if the bytes are none.
    public init?(_ bytes: Bytes) {
        var parts: (UInt64, UInt64) = (0, 0)
        var digits = 0
        var isSecond = false
        for byte in bytes {
            if byte == UInt8(ascii: "-"), !isSecond, digits > 0 {
                isSecond = true
                digits = 0
                continue
            }
            guard 0x30...0x39 ~= byte else { return nil }
            digits += 1
            let (tens, isTooLarge) = (isSecond ? parts.1 : parts.0).multipliedReportingOverflow(by: 10)
            let (sum, isLarger) = tens.addingReportingOverflow(UInt64(byte - 0x30))
            if isTooLarge || isLarger { return nil }
            if isSecond { parts.1 = sum } else { parts.0 = sum }
        }
        if digits == 0 { return nil }
        self.init(parts.0, parts.1)
    }

    public static func < (lhs: EntryID, rhs: EntryID) -> Bool {
        (lhs.milliseconds, lhs.sequence) < (rhs.milliseconds, rhs.sequence)
    }

    var bytes: Bytes { Bytes(description) }
}

extension EntryID: CustomStringConvertible {
    /// The identifier as the server writes it.
    public var description: String { "\(milliseconds)-\(sequence)" }
}
