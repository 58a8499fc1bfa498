/// One request, as a line of the log has it.
///
/// `10.0.7.162 - - [14/Mar/2026:09:26:54 +0000] "GET /login HTTP/1.1" 304 0`
struct Request {
    /// The time of day in seconds since midnight.
    var second: Int

    /// The status code, from 100 to 599.
    var status: Int

    /// The number of bytes sent.
    var size: Int

    /// Reads a line; answers `nil` where it is not a request.
    init?(_ line: String) {
        let text = line.utf8
        guard let date = text.firstIndex(of: UInt8(ascii: "[")),
            let clock = text[date...].firstIndex(of: UInt8(ascii: ":")),
            let quote = text.lastIndex(of: UInt8(ascii: "\"")), clock < quote
        else { return nil }

        var time = Numbers(text[clock..<quote])
        var result = Numbers(text[quote...].dropFirst())
        guard let hour = time.next(), let minute = time.next(), let second = time.next(), hour < 24, minute < 60,
            let status = result.next(), (100..<600).contains(status)
        else { return nil }
        self.second = (hour * 60 + minute) * 60 + second
        self.status = status
        // A dash stands for nothing sent.
        size = result.next() ?? 0
    }

    var isError: Bool { status >= 500 }
}

/// The numbers in a text, each behind one other sign.
private struct Numbers: IteratorProtocol {
    private var rest: Substring.UTF8View

    init(_ text: Substring.UTF8View) { rest = text }

    mutating func next() -> Int? {
        rest = rest.dropFirst()
        var number: Int?
        while let digit = rest.first?.value, number ?? 0 < 1 << 50 {
            number = (number ?? 0) * 10 + digit
            rest.removeFirst()
        }
        return number
    }
}

extension UInt8 {
    /// The value of an ASCII digit.
    fileprivate var value: Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) ? Int(self - UInt8(ascii: "0")) : nil
    }
}
