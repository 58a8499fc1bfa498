import Dispatch
import Glibc
import HeadgateSystem

/// What is measured.
enum Workload: String, CaseIterable {
    case handLines = "hand-lines"
    case handLog = "hand-log"
    case bytes
    case byteLines = "byte-lines"
    case textLines = "text-lines"
    case copy
    case program

    /// Runs the workload over a file.
    ///
    /// - Returns: What it has counted.
    func run(_ path: String) -> Int {
        let bytes = File(path).bytes()
        return switch self {
        case .handLines: Self.countByHand(path)
        case .handLog: HandLog.run(path)
        case .bytes: Self.wait(for: bytes.map(\.count).reduce(0, +))
        case .byteLines: Self.wait(for: bytes.byteLines().count())
        case .textLines: Self.wait(for: bytes.lines().count())
        case .copy: Self.copy(bytes)
        case .program: Self.wait(for: Self.output(of: Command("cat", path)))
        }
    }

    /// Writes everything to nowhere.
    private static func copy(_ bytes: Publishers.FileBytes) -> Int {
        nonisolated(unsafe) var written = 0
        let hasEnded = DispatchSemaphore(value: 0)
        bytes.write(to: File("/dev/null")) { end in
            written = end.bytes
            hasEnded.signal()
        }
        hasEnded.wait()
        return written
    }

    /// How much a program writes, which is read chunk by chunk.
    private static func output(of command: Command) -> some Publisher<Int, SystemError> {
        command.bytes()
            .mapError { failure in
                if case .system(let error) = failure { error } else { SystemError(call: "\(failure)", code: EINVAL) }
            }
            .map(\.count).reduce(0, +)
    }

    private static func wait(for result: some Publisher<Int, SystemError>) -> Int {
        nonisolated(unsafe) var value = 0
        let hasEnded = DispatchSemaphore(value: 0)
        // The value is written before the signal and read after it.
        let waiting = result.sink(
            receiveCompletion: { completion in
                if case .failure(let error) = completion { print(error) }
                hasEnded.signal()
            }, receiveValue: { value = $0 })
        hasEnded.wait()
        withExtendedLifetime(waiting) {}
        return value
    }

    private static func countByHand(_ path: String) -> Int {
        let descriptor = open(path, O_RDONLY)
        let size = 1 << 16
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        defer {
            buffer.deallocate()
            close(descriptor)
        }
        var lines = 0
        while case let count = read(descriptor, buffer, size), count > 0 {
            var position = buffer
            let end = buffer + count
            while let found = memchr(position, 10, end - position) {
                lines += 1
                position = found + 1
            }
        }
        return lines
    }
}
