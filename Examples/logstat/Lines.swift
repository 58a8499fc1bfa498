import Glibc

/// One line of input, without its line break.
struct Line {
    /// The longest line that is kept whole; what is beyond is left out, so that no input can fill the memory.
    static let longest = 1 << 16

    var text: String

    /// The length in the input, line break and all that was left out included.
    var byteCount: Int

    /// Whether the bytes were UTF-8, and no more than `longest`.
    var isIntact: Bool
}

/// Why the input could not be read.
struct ReadError: Error, CustomStringConvertible {
    let name: String
    let code: Int32

    var description: String { "\(name): \(String(cString: strerror(code)))" }
}

/// The lines of an open file, read as they are asked for, a buffer at a time.
///
/// As a sequence it becomes a publisher by `.publisher`, which reads only as far as its subscriber has asked for. A
/// sequence can't throw, so a failure is its last element.
struct Lines: Sequence {
    let file: InputFile

    func makeIterator() -> Iterator { Iterator(file: file) }

    struct Iterator: IteratorProtocol {
        private let file: InputFile
        private var buffer = [UInt8](repeating: 0, count: 1 << 16)
        private var unread = 0..<0
        private var hasEnded = false

        init(file: InputFile) { self.file = file }

        mutating func next() -> Result<Line, ReadError>? {
            if hasEnded { return nil }
            var bytes: [UInt8] = []
            var byteCount = 0
            while true {
                if unread.isEmpty {
                    switch file.read(into: &buffer) {
                    case .failure(let error):
                        hasEnded = true
                        return .failure(error)
                    case .success(0):
                        hasEnded = true
                        return byteCount == 0 ? nil : .success(line(of: bytes, byteCount: byteCount))
                    case .success(let count):
                        unread = 0..<count
                    }
                }
                let lineBreak = buffer[unread].firstIndex(of: UInt8(ascii: "\n"))
                let part = unread.lowerBound..<(lineBreak ?? unread.upperBound)
                bytes += buffer[part].prefix(Line.longest + 1 - bytes.count)
                byteCount += part.count
                unread = part.upperBound..<unread.upperBound
                if lineBreak != nil {
                    unread.removeFirst()
                    return .success(line(of: bytes, byteCount: byteCount + 1))
                }
            }
        }

        private func line(of bytes: [UInt8], byteCount: Int) -> Line {
            let kept = bytes.prefix(Line.longest)
            if kept.count == bytes.count, let text = String(validating: kept, as: UTF8.self) {
                return Line(text: text, byteCount: byteCount, isIntact: true)
            }
            return Line(text: String(decoding: kept, as: UTF8.self), byteCount: byteCount, isIntact: false)
        }
    }
}

/// A file that has been opened for reading, or standard input.
struct InputFile {
    static let standardInput = InputFile(name: "standard input", descriptor: STDIN_FILENO)

    let name: String
    private let descriptor: Int32

    private init(name: String, descriptor: Int32) {
        self.name = name
        self.descriptor = descriptor
    }

    init(path: String) throws(ReadError) {
        descriptor = open(path, O_RDONLY)
        name = path
        if descriptor < 0 { throw ReadError(name: path, code: errno) }
    }

    /// The length in bytes, where it is known.
    var length: Int? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Fills a buffer as far as there is something to read.
    ///
    /// - Returns: The number of bytes read, zero at the end.
    func read(into buffer: inout [UInt8]) -> Result<Int, ReadError> {
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count >= 0 { return .success(count) }
            if errno != EINTR { return .failure(ReadError(name: name, code: errno)) }
        }
    }
}
