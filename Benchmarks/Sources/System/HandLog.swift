import Glibc

/// The example `logstat` as a programmer would write it by hand, with `read` and `memchr`.
///
/// What it does with a line is the example's own code, in `LogStat`.
enum HandLog {
    /// Prints the summary that the example prints.
    ///
    /// - Returns: How many lines there were.
    static func run(_ path: String) -> Int {
        let descriptor = open(path, O_RDONLY)
        let size = 1 << 16
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: 2 * size, alignment: 16)
        defer {
            buffer.deallocate()
            close(descriptor)
        }
        var summary = Summary(window: .requests(200))
        var left = 0
        while case let count = read(descriptor, buffer + left, size), count > 0 {
            var position = UnsafeRawPointer(buffer)
            let end = position + left + count
            while let found = memchr(position, 10, end - position).map(UnsafeRawPointer.init) {
                summary.add(Line(UnsafeRawBufferPointer(start: position, count: found - position)))
                position = found + 1
            }
            left = min(end - position, size)
            memmove(buffer, position, left)
        }
        if left > 0 { summary.add(Line(UnsafeRawBufferPointer(start: buffer, count: left))) }
        print(summary.text, terminator: "")
        return summary.lines
    }
}
