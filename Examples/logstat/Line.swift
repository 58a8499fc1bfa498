import HeadgateSystem

/// A parsed line.
struct Line {
    /// The maximum length of a line; the rest is dropped, so that no input can fill the memory.
    static let longest = 1 << 16

    var request: Request?

    /// Whether the bytes were UTF-8, and no more than `longest`.
    var isIntact: Bool

    init(_ bytes: borrowing Bytes) { self = bytes.withUnsafeBytes { Line($0) } }

    init(_ memory: UnsafeRawBufferPointer) {
        let text = UnsafeRawBufferPointer(rebasing: memory.prefix(Line.longest))
        request = Request(text)
        isIntact = text.count == memory.count && text.isText
    }
}

extension UnsafeRawBufferPointer {
    /// Whether this is UTF-8; a log is nearly always ASCII, which is faster to check.
    fileprivate var isText: Bool {
        var rest: UInt8 = 0
        if count < 16 {
            for byte in self { rest |= byte }
        } else {
            var sum = loadUnaligned(fromByteOffset: count - 16, as: SIMD16<UInt8>.self)
            var position = 0
            while position + 16 < count {
                sum |= loadUnaligned(fromByteOffset: position, as: SIMD16<UInt8>.self)
                position += 16
            }
            let halves = unsafeBitCast(sum, to: SIMD2<UInt64>.self)
            if (halves[0] | halves[1]) & 0x8080_8080_8080_8080 != 0 { rest = 0x80 }
        }
        return rest < 0x80 || String(validating: self, as: UTF8.self) != nil
    }
}
