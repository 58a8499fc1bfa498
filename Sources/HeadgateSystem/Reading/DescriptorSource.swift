import HeadgateLibC

/// The bytes read from a descriptor: one `read` per chunk requested, none without demand.
///
/// For files, pipes, terminals and sockets. To mark the last chunk of a file as the last takes one more `read`, which
/// finds nothing.
package final class DescriptorSource: PolledSource {
    /// How to avoid blocking in `read`.
    package enum Kind {
        /// A file, whose `read` never blocks for another process, and the number of bytes it probably has left.
        case file(expected: Int)
        /// A descriptor in non-blocking mode.
        case nonBlocking
        /// A pipe opened by its path in non-blocking mode, which reports its end until it has had a writer.
        case namedPipe
        /// A descriptor shared with other processes, whose mode must not change: polled before each `read`.
        case shared
    }

    package let descriptor: Descriptor
    private let calls: SystemCalls
    private let chunkSize: Int
    private let kind: Kind
    private var limit: Int
    private var expected = Int.max
    // A chunk read ahead when checking for the end of the file.
    private var ahead: Bytes?

    /// Creates a source of an open descriptor.
    ///
    /// - Parameters:
    ///   - chunkSize: The maximum number of bytes per `read`.
    ///   - limit: The maximum number of bytes in total.
    package init(
        _ descriptor: Descriptor, kind: Kind, chunkSize: Int, limit: Int = .max, calls: SystemCalls = .live
    ) {
        self.descriptor = descriptor
        self.kind = kind
        self.chunkSize = capacity(ofChunk: chunkSize)
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

    /// A chunk that is short, or reaches the expected length of the file, is the last unless the file grows.
    private func check(_ bytes: Bytes, wanted: Int) throws(SystemError) -> Poll<Bytes> {
        expected -= bytes.count
        if bytes.count == wanted, expected != 0 { return .value(bytes) }
        let next = try calls.read(descriptor, upTo: min(chunkSize, limit))
        if next?.isEmpty ?? false { return .last(bytes) }
        ahead = next
        return .value(bytes)
    }

    private func next(_ count: Int) throws(SystemError) -> Bytes? {
        if let ahead = ahead.take() { return ahead }
        return try calls.read(descriptor, upTo: count)
    }

    private func isAwaitingWriter() throws(SystemError) -> Bool {
        guard case .namedPipe = kind else { return false }
        return try calls.readyEvents(of: descriptor, among: Int32(POLLIN)) & Int32(POLLHUP) == 0
    }
}
