import Glibc

/// What a programmer would write by hand to read the fields of a log: `read`, `memchr` and digits.
enum HandLog {
    /// Reads time, status and size of every line.
    ///
    /// - Returns: How many requests there were.
    static func run(_ path: String) -> Int {
        let descriptor = open(path, O_RDONLY)
        let size = 1 << 16
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: 2 * size, alignment: 16)
        defer {
            buffer.deallocate()
            close(descriptor)
        }
        var requests = 0
        var seconds: UInt64 = 0
        var sent: UInt64 = 0
        var statuses = [Int](repeating: 0, count: 600)
        var left = 0
        while case let count = read(descriptor, buffer + left, size), count > 0 {
            var position = UnsafeRawPointer(buffer)
            let end = position + left + count
            while let found = memchr(position, 10, end - position) {
                if let line = parse(position, UnsafeRawPointer(found)) {
                    requests += 1
                    seconds &+= line.second
                    sent &+= line.size
                    statuses[Int(line.status)] += 1
                }
                position = UnsafeRawPointer(found) + 1
            }
            left = min(end - position, size)
            memmove(buffer, position, left)
        }
        if sent == seconds { print(statuses) }
        return requests
    }

    private static func parse(
        _ start: UnsafeRawPointer, _ end: UnsafeRawPointer
    ) -> (second: UInt64, status: UInt64, size: UInt64)? {
        guard let date = memchr(start, 0x5B, end - start), let clock = memchr(date, 0x3A, end - UnsafeRawPointer(date))
        else { return nil }
        var quote = end - 1
        while quote > clock, quote.load(as: UInt8.self) != 0x22 { quote -= 1 }
        var place = UnsafeRawPointer(clock) + 1
        let hour = number(&place, end)
        let minute = number(&place, end)
        let second = number(&place, end)
        place = quote + 2
        let status = number(&place, end)
        if status < 100 || status >= 600 { return nil }
        return ((hour * 60 + minute) * 60 + second, status, number(&place, end))
    }

    private static func number(_ place: inout UnsafeRawPointer, _ end: UnsafeRawPointer) -> UInt64 {
        var number: UInt64 = 0
        while place < end, case let digit = place.load(as: UInt8.self) &- 0x30, digit < 10 {
            number = number &* 10 &+ UInt64(digit)
            place += 1
        }
        place += 1
        return number
    }
}
