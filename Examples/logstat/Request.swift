import Glibc

/// One request, parsed from a line of the log.
///
/// `10.0.7.162 - - [14/Mar/2026:09:26:54 +0000] "GET /login HTTP/1.1" 304 0`
struct Request {
    /// The time of day in seconds since midnight.
    var second: Int

    /// The status code, from 100 to 599.
    var status: Int

    /// The number of bytes sent.
    var size: UInt64

    /// Parses a line in place; returns `nil` if it is not a request.
    init?(_ line: UnsafeRawBufferPointer) {
        guard let start = line.baseAddress, let date = memchr(start, Int32(UInt8(ascii: "[")), line.count) else {
            return nil
        }
        let end = start + line.count
        guard let clock = memchr(date, Int32(UInt8(ascii: ":")), end - UnsafeRawPointer(date)) else { return nil }
        var quote = end - 1
        while quote > clock, quote.load(as: UInt8.self) != UInt8(ascii: "\"") { quote -= 1 }
        if quote <= UnsafeRawPointer(clock) { return nil }

        var time = Numbers(place: clock, end: quote)
        guard let hour = time.next(), let minute = time.next(), let second = time.next(), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        var result = Numbers(place: quote + 1, end: end)
        guard let status = result.next(), (100..<600).contains(status) else { return nil }
        self.second = Int((hour * 60 + minute) * 60 + second)
        self.status = Int(status)
        // A dash means that nothing was sent.
        size = result.next() ?? 0
    }

    var isError: Bool { status >= 500 }
}

/// The numbers in a text, each preceded by one other character.
private struct Numbers: IteratorProtocol {
    var place: UnsafeRawPointer
    let end: UnsafeRawPointer

    /// The next number, or `.max` for a greater one.
    @inline(__always) mutating func next() -> UInt64? {
        place += 1
        let start = place
        var number: UInt64 = 0
        while place < end, case let digit = place.load(as: UInt8.self) &- UInt8(ascii: "0"), digit < 10 {
            number = number &* 10 &+ UInt64(digit)
            place += 1
        }
        // Nineteen digits always fit.
        return place - start > 19 ? .max : place > start ? number : nil
    }
}
