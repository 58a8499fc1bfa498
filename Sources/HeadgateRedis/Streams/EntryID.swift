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
        // The milliseconds of our time have 13 digits.
        if end &- place >= 8, let digits = eightDigits(memory.loadUnaligned(fromByteOffset: place, as: UInt64.self)) {
            number = digits
            place &+= 8
        }
        // A number of at most 19 digits needs no check for an overflow.
        let most = min(end, start &+ 19)
        while place < most, case let digit = memory[place] &- 0x30, digit < 10 {
            number = number &* 10 &+ UInt64(digit)
            place &+= 1
        }
        while place < end, case let digit = memory[place] &- 0x30, digit < 10 {
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isLarger) = tens.addingReportingOverflow(UInt64(digit))
            if isTooLarge || isLarger { return nil }
            number = sum
            place &+= 1
        }
        return place == start ? nil : number
    }

    /// Reads eight digits at once; `nil` unless all are digits.
    ///
    /// Neighbours are joined: digits to numbers below 100, these to numbers below 10,000, and these to one. After D. Lemire,
    /// "Number parsing at a gigabyte per second" (2021), section 5.
    @inline(__always) private static func eightDigits(_ bytes: UInt64) -> UInt64? {
        // The first is in the lowest byte. Digits become 0 to 9, and no other byte does.
        let digits = UInt64(littleEndian: bytes) ^ 0x3030_3030_3030_3030
        if (digits | (digits &+ 0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080 != 0 { return nil }
        let pairs = (digits &* 10 &+ digits &>> 8) & 0x00FF_00FF_00FF_00FF
        let fours = (pairs &* 100 &+ pairs &>> 16) & 0x0000_FFFF_0000_FFFF
        return (fours &* 10_000 &+ fours &>> 32) & 0xFFFF_FFFF
    }

    /// Whether the first is less than the second.
    public static func < (lhs: EntryID, rhs: EntryID) -> Bool {
        (lhs.milliseconds, lhs.sequence) < (rhs.milliseconds, rhs.sequence)
    }

    var bytes: Bytes { Bytes.commandPart(CommandWriter.roomForID) { $0.putText(self) } }
}

extension EntryID: CustomStringConvertible {
    /// The identifier as the server writes it.
    public var description: String { "\(milliseconds)-\(sequence)" }
}
