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
        /// A file, on which a `read` never waits for anybody: so many bytes of it at most, and how many there are
        /// probably.
        case file(limit: Int, expected: Int)
        /// A descriptor in non-blocking mode.
        case nonBlocking
        /// A descriptor that others use, too, and whose mode is theirs: looked at before each `read`.
        case shared
    }

    package let descriptor: Descriptor
    private let calls: SystemCalls
    private let chunkSize: Int
    private var kind: Kind
    // What was found when looking whether the file has come to its end.
    private var ahead: Bytes?

    /// Makes a source of an open descriptor.
    ///
    /// - Parameter chunkSize: How many bytes one `read` asks for.
    package init(_ descriptor: Descriptor, kind: Kind, chunkSize: Int, calls: SystemCalls = .live) {
        self.descriptor = descriptor
        self.kind = kind
        self.chunkSize = chunkSize
        self.calls = calls
    }

    package func poll() throws(SystemError) -> Poll<Bytes> {
        switch kind {
        case .file(let limit, let expected):
            return try pollFile(limit, expected)
        case .shared:
            guard try calls.isReady(descriptor, for: Int32(POLLIN)) else { return .pending }
            return try readOnce()
        case .nonBlocking:
            return try readOnce()
        }
    }

    private func readOnce() throws(SystemError) -> Poll<Bytes> {
        guard let bytes = try read(chunkSize) else { return .pending }
        return bytes.isEmpty ? .finished : .value(bytes)
    }

    private func pollFile(_ limit: Int, _ expected: Int) throws(SystemError) -> Poll<Bytes> {
        let wanted = min(chunkSize, limit)
        guard let bytes = try next(wanted) else { return .pending }
        if bytes.isEmpty { return .finished }
        let rest = limit == .max ? .max : limit - bytes.count
        kind = .file(limit: rest, expected: expected - bytes.count)
        if rest == 0 { return .last(bytes) }
        if bytes.count == wanted, bytes.count != expected { return .value(bytes) }
        // What falls short, or goes as far as the file is long, is the last unless the file grows.
        let next = try read(min(chunkSize, rest))
        if next?.isEmpty ?? false { return .last(bytes) }
        ahead = next
        return .value(bytes)
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
