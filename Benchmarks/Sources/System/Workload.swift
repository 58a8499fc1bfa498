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
        }
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
