#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The bytes that come out of a descriptor: one `read` for each chunk, and none that nobody asked for.
///
/// For files, pipes, terminals and sockets alike. What is read from a file is known to be the last where the file ends with
/// it, which takes one more `read` that finds nothing.
package final class DescriptorSource: PolledSource {
    /// How to avoid waiting in a `read`.
    package enum Kind {
        /// A file, on which a `read` never waits for anybody, and how many bytes it probably has left.
        case file(expected: Int)
        /// A descriptor in non-blocking mode.
        case nonBlocking
        /// A pipe opened by its path in non-blocking mode, which seems to have ended while it has had no writer yet.
        case namedPipe
        /// A descriptor that others use, too, and whose mode is theirs: looked at before each `read`.
        case shared
    }

    package let descriptor: Descriptor
    private let calls: SystemCalls
    private let chunkSize: Int
    private let kind: Kind
    private var limit: Int
    private var expected = Int.max
    // What was found when looking whether the file has come to its end.
    private var ahead: Bytes?

    /// Makes a source of an open descriptor.
    ///
    /// - Parameters:
    ///   - chunkSize: How many bytes one `read` asks for.
    ///   - limit: How many bytes are read in all.
    package init(
        _ descriptor: Descriptor, kind: Kind, chunkSize: Int, limit: Int = .max, calls: SystemCalls = .live
    ) {
        self.descriptor = descriptor
        self.kind = kind
        self.chunkSize = chunkSize
        self.limit = limit
        self.calls = calls
        if case .file(let expected) = kind { self.expected = expected }
    }

    package func poll() throws(SystemError) -> Poll<Bytes> {
        let wanted = min(chunkSize, limit)
        if wanted == 0 { return .finished }
        if case .shared = kind, try calls.readyEvents(of: descriptor, among: Int32(POLLIN)) == 0 { return .pending }
        guard let bytes = try next(wanted) else { return .pending }
        if bytes.isEmpty { return try isAwaitingWriter() ? .pending : .finished }
        if limit < .max {
            limit -= bytes.count
            if limit == 0 { return .last(bytes) }
        }
        if case .file = kind { return try check(bytes, wanted: wanted) }
        return .value(bytes)
    }

    /// What falls short, or goes as far as the file is long, is the last unless the file grows.
    private func check(_ bytes: Bytes, wanted: Int) throws(SystemError) -> Poll<Bytes> {
        expected -= bytes.count
        if bytes.count == wanted, expected != 0 { return .value(bytes) }
        let next = try read(min(chunkSize, limit))
        if next?.isEmpty ?? false { return .last(bytes) }
        ahead = next
        return .value(bytes)
    }

    private func isAwaitingWriter() throws(SystemError) -> Bool {
        guard case .namedPipe = kind else { return false }
        return try calls.readyEvents(of: descriptor, among: Int32(POLLIN)) & Int32(POLLHUP) == 0
    }

    private func next(_ count: Int) throws(SystemError) -> Bytes? {
        if let ahead = ahead.take() { return ahead }
        return try read(count)
    }

    private func read(_ count: Int) throws(SystemError) -> Bytes? {
        var isReady = true
        let bytes = try Bytes(capacity: count) { buffer throws(SystemError) in
            guard let count = try calls.read(descriptor, into: buffer) else {
                isReady = false
                return 0
            }
            return count
        }
        return isReady ? bytes : nil
    }
}
