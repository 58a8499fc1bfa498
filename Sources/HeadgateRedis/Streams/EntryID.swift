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

    /// Reads an identifier such as `1526919030474-55`; `nil` if the text is not an identifier.
    public init?(_ text: some StringProtocol) { self.init(Bytes(text)) }

    /// Reads an identifier; `nil` if the bytes are not an identifier.
    public init?(_ bytes: Bytes) {
        let id = bytes.withUnsafeBytes { EntryID(in: $0, from: 0, to: $0.count) }
        guard let id else { return nil }
        self = id
    }

    /// Reads an identifier in memory.
    @inline(__always) init?(in memory: UnsafeRawBufferPointer, from start: Int, to end: Int) {
        var place = start
        guard let first = Self.number(in: memory, from: &place, to: end) else { return nil }
        if place == end {
            self.init(first, 0)
            return
        }
        if memory[place] != UInt8(ascii: "-") { return nil }
        place += 1
        guard let second = Self.number(in: memory, from: &place, to: end), place == end else { return nil }
        self.init(first, second)
    }

    /// Reads digits; `nil` if there are none or too many.
    @inline(__always) private static func number(
        in memory: UnsafeRawBufferPointer, from place: inout Int, to end: Int
    ) -> UInt64? {
        let start = place
        var number: UInt64 = 0
        // A number of at most 19 digits needs no check for an overflow.
        let most = min(end, start + 19)
        while place < most, case let digit = memory[place] &- 0x30, digit < 10 {
            number = number &* 10 &+ UInt64(digit)
            place += 1
        }
        while place < end, case let digit = memory[place] &- 0x30, digit < 10 {
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isLarger) = tens.addingReportingOverflow(UInt64(digit))
            if isTooLarge || isLarger { return nil }
            number = sum
            place += 1
        }
        return place == start ? nil : number
    }

    /// Whether the first is less than the second.
    public static func < (lhs: EntryID, rhs: EntryID) -> Bool {
        (lhs.milliseconds, lhs.sequence) < (rhs.milliseconds, rhs.sequence)
    }

    var bytes: Bytes { Bytes(description) }
}

extension EntryID: CustomStringConvertible {
    /// The identifier as the server writes it.
    public var description: String { "\(milliseconds)-\(sequence)" }
}
