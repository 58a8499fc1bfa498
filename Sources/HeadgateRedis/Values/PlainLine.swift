/// A line with a plain number of up to 17 digits, all of it in one piece of memory.
struct PlainLine {
    let mark: UInt8
    let number: Int

    /// Where the next line begins.
    let end: Int

    /// - Parameters:
    ///   - bytes: The memory.
    ///   - count: Its size.
    ///   - place: Where the line begins.
    @inline(__always) init?(_ bytes: UnsafePointer<UInt8>, _ count: Int, at place: Int) {
        if place + 3 >= count { return nil }
        mark = bytes[place]
        var number = Int(bytes[place + 1] &- 0x30)
        if number > 9 { return nil }
        var next = place + 2
        if bytes[next] != 0x0D {
            // So many digits need no check for an overflow.
            let most = min(place + 18, count - 2)
            while next < most, case let digit = bytes[next] &- 0x30, digit < 10 {
                number = number &* 10 &+ Int(digit)
                next += 1
            }
            if bytes[next] != 0x0D { return nil }
        }
        if bytes[next + 1] != 0x0A { return nil }
        self.number = number
        end = next + 2
    }
}
